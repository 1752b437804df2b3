import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { createNatsBus } from '#core/events/nats-bus.ts'
import { streamName } from '#core/events/nats-streams.ts'
import { createStore } from '#core/store/create-store.ts'
import { openDatabase } from '#core/store/database.ts'
import type { Database } from '#core/store/database.ts'
import { lastPosition, readAfter } from '#core/store/events.ts'
import { migrate, storeMigrations } from '#core/store/migrate.ts'
import { note } from '#core/store/testing/notes.ts'
import { startNats } from '#test/harness/nats.ts'
import type { NatsServer } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { PostgresServer } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { timed, until } from '../until.ts'

const writers = 50
const streams = 20

/** Commits against publication, while whoever publishes, carries or consumes is killed. */
export const chaosCase: ChaosCase = {
  ids: ['O1', 'O2', 'O7'],
  title: `${writers} writers with transactions of random length; relay owner, consumers, NATS and PostgreSQL killed, the stream re-created`,
  counts: { short: 3, usual: 30, full: 60 },
  minutes: 4,
  run: async (scope, { seed, short, count }) => {
    const random = createRandom(seed)
    const world = await openWorld(scope)
    const reader = followLog(world.database)
    const writing = startWriters(world.database, random)
    const recoveryMs: number[] = []
    for (let fault = 0; fault < count; fault++) {
      await random.instant(50, short ? 300 : 1_500)
      // The first ones in a fixed order, so that a short run meets each kind that matters.
      await (faults[fault] ?? random.pick(faults))(world, random)
      recoveryMs.push(await timed('an event after the fault has its effects', () => roundTrip(world, writing)))
    }
    const { acknowledged, rolledBack } = await writing.stop()
    return judge(world, { reader, acknowledged, rolledBack, faults: count, recoveryMs })
  },
}

interface World {
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  readonly database: Database
  readonly workers: Map<string, ServerProcess>
  start(holder: string): void
  /** The log's head just after the last stream was deleted: what came later must be in the new one. */
  streamFrom: bigint
}

async function openWorld(scope: Scope): Promise<World> {
  const [postgres, nats] = await Promise.all([startPostgres(scope), startNats(scope)])
  const database = await openDatabase({ url: postgres.url, connections: 60 })
  scope.after(() => database.close())
  await migrate(database, [storeMigrations])
  await sql`create table effects (at bigserial, consumer text, stream text, n integer, version integer)`.execute(
    database.root,
  )
  await makeStream(nats.url)
  await holdTransaction(scope, postgres.adminUrl)
  const folder = tempFolder('chaos')
  const workers = new Map<string, ServerProcess>()
  scope.after(async () => {
    await Promise.all([...workers.values()].map((worker) => worker.end('SIGKILL')))
    folder.remove()
  })
  const program = fileURLToPath(import.meta.resolve('../actors/log-worker.ts'))
  const start = (holder: string): void => {
    const args = [program, holder, postgres.url, nats.url]
    workers.set(holder, startProcess({ program: process.execPath, args, log: join(folder.path, `${holder}.log`) }))
  }
  for (const holder of ['one', 'two', 'three']) start(holder)
  return { postgres, nats, database, workers, start, streamFrom: 0n }
}

// O2: also while another database of the server has a transaction open, whose age a careless reader would wait for or trust.
async function holdTransaction(scope: Scope, url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin; select txid_current()')
  scope.after(() => client.end().catch(() => undefined))
}

async function makeStream(servers: string): Promise<void> {
  const bus = await createNatsBus({ servers })
  await until('JetStream', async () => bus.ensure({ durables: [] }).then(() => true))
  await bus.close()
}

type Fault = (world: World, random: Random) => Promise<void>

const faults: readonly Fault[] = [
  killLeader,
  recreateStream,
  async ({ nats }, random) => {
    await nats.kill9()
    await random.instant(0, 500)
    await nats.restart()
  },
  pauseLeader,
  killAny,
  async ({ postgres }, random) => {
    await postgres.kill9()
    await random.instant(0, 300)
    await postgres.restart()
  },
]

async function leaderOf({ database }: World): Promise<string> {
  const { rows } = await sql<{ holder: string }>`select holder from leader where name = 'relay'`.execute(database.root)
  return rows[0]?.holder ?? 'one'
}

async function killLeader(world: World): Promise<void> {
  await restart(world, await leaderOf(world))
}

async function killAny(world: World, random: Random): Promise<void> {
  await restart(world, random.pick(['one', 'two', 'three']))
}

async function restart(world: World, holder: string): Promise<void> {
  await world.workers.get(holder)?.end('SIGKILL')
  world.start(holder)
}

// Longer than its term: it wakes up as a former leader, with messages and a cursor of its own in flight.
async function pauseLeader(world: World, random: Random): Promise<void> {
  const leader = world.workers.get(await leaderOf(world))
  leader?.freeze()
  await random.instant(1_200, 2_500)
  leader?.thaw()
}

async function recreateStream(world: World, random: Random): Promise<void> {
  const connection = await connect({ servers: world.nats.url })
  const manager = await jetstreamManager(connection)
  await manager.streams.delete(streamName)
  // What is committed from now on can only have been acknowledged by the new stream.
  world.streamFrom = await lastPosition(world.database.db)
  await random.instant(100, 500)
  await makeStream(world.nats.url)
  await connection.close()
}

interface Writing {
  /** Appends one event now and answers its number. */
  write(): Promise<number>
  stop(): Promise<{ readonly acknowledged: ReadonlySet<number>; readonly rolledBack: ReadonlySet<number> }>
}

function startWriters(database: Database, random: Random): Writing {
  const store = createStore(database, { projections: [] })
  const acknowledged = new Set<number>()
  const rolledBack = new Set<number>()
  let last = 0
  const stopped = new AbortController()
  const write = async (): Promise<number> => {
    const numbers = Array.from({ length: random.int(1, 3) }, () => ++last)
    const undo = random.next() < 0.1
    await store
      .transact(async (tx) => {
        await tx.append(
          `notes/${random.int(1, streams)}`,
          'any',
          numbers.map((n) => note(n)),
        )
        // Within the transaction: others take positions and commit meanwhile.
        await sql`select pg_sleep(${random.next() * 0.05})`.execute(tx.db)
        if (undo) throw new RolledBack()
      })
      .catch((error: unknown) => {
        if (error instanceof RolledBack) for (const n of numbers) rolledBack.add(n)
        throw error
      })
    for (const n of numbers) acknowledged.add(n)
    return numbers[0] ?? 0
  }
  const loops = Array.from({ length: writers }, async () => {
    while (!stopped.signal.aborted) {
      // A server that is down refuses at once; what was in doubt is judged by the log.
      await write().catch(() => random.instant(5, 20))
      await random.instant(0, 100)
    }
  })
  const stop: Writing['stop'] = async () => {
    stopped.abort()
    await Promise.all(loops)
    return { acknowledged, rolledBack }
  }
  return { write, stop }
}

class RolledBack extends Error {}

async function roundTrip({ database }: World, writing: Writing): Promise<boolean> {
  const n = await writing.write()
  await until('its effects', async () => {
    const { rows } = await sql`select 1 from effects where n = ${n}`.execute(database.root)
    return rows.length === 2
  })
  return true
}

interface Reader {
  stop(): Promise<readonly bigint[]>
}

// Any reader by position, such as an integrator's: it must see each commit however late that came.
function followLog(database: Database): Reader {
  const seen: bigint[] = []
  const stopped = new AbortController()
  const follow = async (): Promise<void> => {
    for (let idle = false; !stopped.signal.aborted || !idle;) {
      const page = await readAfter(database.db, seen.at(-1) ?? 0n, 200).catch(() => undefined)
      seen.push(...(page ?? []).map(({ position }) => position))
      idle = page?.length === 0
    }
  }
  const following = follow()
  return {
    stop: async () => {
      stopped.abort()
      await following
      return seen
    },
  }
}

interface Evidence {
  readonly reader: Reader
  readonly acknowledged: ReadonlySet<number>
  readonly rolledBack: ReadonlySet<number>
  readonly faults: number
  readonly recoveryMs: readonly number[]
}

async function judge(world: World, evidence: Evidence) {
  const { database } = world
  const log = await readAfter(database.db, 0n, 1_000_000)
  const committed = new Set(log.map(({ data }) => (data as { n: number }).n))
  const { rows: effects } = await until('every effect', async () => {
    const found = await sql<{ consumer: string; stream: string; n: number; version: number }>`
      select consumer, stream, n, version from effects order by at`.execute(database.root)
    return found.rows.length >= 2 * log.length ? found : undefined
  })
  await until('the relay is at the head', async () => {
    const { rows } = await sql<{ position: bigint }>`select position from cursor where name = 'relay'`.execute(
      database.root,
    )
    return (rows[0]?.position ?? 0n) >= (log.at(-1)?.position ?? 0n)
  })
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

// One consumer at a time handles a stream, so its rows are in the order of their commits.
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
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(streamName, { seq })
    const id = message?.header.get('Nats-Msg-Id')
    if (id !== undefined && id !== '') ids.add(id)
  }
  await connection.close()
  return ids
}
