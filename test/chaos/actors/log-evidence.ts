import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import assert from 'node:assert/strict'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { streamName } from '#core/messaging/bus/nats-streams.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { until } from '../until.ts'
import type { World } from './log-world.ts'
import type { Reader } from './log-writers.ts'

/** Observations of writers and readers. */
export interface Evidence {
  readonly reader: Reader
  readonly acknowledged: ReadonlySet<number>
  readonly rolledBack: ReadonlySet<number>
  readonly faults: number
  readonly recoveryMs: readonly number[]
}

/** Compares the log, and the published, read and handled events, with acknowledged and rolled back writes. */
export async function judge(world: World, evidence: Evidence) {
  const { database } = world
  const log = await readAfter(database.db, 0n, 1_000_000)
  const committed = new Set(log.map(({ data }) => (data as { n: number }).n))
  const { rows: effects } = await until('every effect', async () => {
    const found = await sql<{ consumer: string; stream: string; n: number; version: number }>`
      select consumer, stream, n, version from effects order by at`.execute(database.root)
    return found.rows.length >= 2 * log.length ? found : undefined
  })
  await relayAt(database, log.at(-1)?.position ?? 0n)
  const read = await evidence.reader.stop()
  const published = await publishedIds(world.nats.url)
  const notPublished = log.filter(({ id, position }) => position > world.streamFrom && !published.has(id))
  const distinct = new Set(effects.map(({ consumer, n }) => `${consumer}/${n}`))
  const readSet = new Set(read)
  const phantom = [...evidence.rolledBack].filter((n) => committed.has(n))
  assertOrder(effects.filter(({ consumer }) => consumer === 'stream'))
  return {
    faults: evidence.faults,
    lost:
      [...evidence.acknowledged].filter((n) => !committed.has(n)).length +
      log.filter(({ position }) => !readSet.has(position)).length +
      notPublished.length +
      (2 * log.length - distinct.size),
    duplicated: effects.length - distinct.size + (read.length - readSet.size),
    unaccounted: phantom.length,
    recoveryMs: evidence.recoveryMs,
    notes: [
      `${log.length} events committed, each read by position, published, and handled once by a consumer of each order; per stream in order`,
    ],
  }
}

// A busy machine may publish slowly, so only a relay without progress has failed.
async function relayAt({ root }: World['database'], head: bigint): Promise<void> {
  for (let position = -1n; position < head;) {
    const before = position
    position = await until(`progress of the relay from ${before} to ${head}`, async () => {
      const { rows } = await sql<{ position: bigint }>`select position from cursor where name = 'relay'`.execute(root)
      const now = rows[0]?.position ?? 0n
      return now > before ? now : undefined
    })
  }
}

// One consumer at a time handles a stream, so its rows are in commit order.
function assertOrder(rows: readonly { readonly stream: string; readonly version: number }[]): void {
  const last = new Map<string, number>()
  for (const { stream, version } of rows) {
    assert.equal(version, (last.get(stream) ?? 0) + 1, `${stream} in order`)
    last.set(stream, version)
  }
}

async function publishedIds(servers: string): Promise<ReadonlySet<string>> {
  const connection = await connect({ servers })
  const manager = await jetstreamManager(connection)
  const { state } = await manager.streams.info(streamName)
  const ids = new Set<string>()
  const sequences = Array.from({ length: state.last_seq - state.first_seq + 1 }, (_, index) => state.first_seq + index)
  await mapConcurrently(sequences, async (seq) => {
    const message = await manager.streams.getMessage(streamName, { seq })
    const id = message?.header.get('Nats-Msg-Id')
    if (id !== undefined && id !== '') ids.add(id)
  })
  await connection.close()
  return ids
}
