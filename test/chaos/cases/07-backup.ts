import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { streamName } from '#core/messaging/bus/nats-streams.ts'
import { execute } from '#test/harness/postgres.ts'
import type { ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import { NotHere } from '../run-case.ts'
import { untilHealthy } from '../stage/faults.ts'
import { compareWithRows, createExpectedChanges, describe, oldestUnrecorded } from '../stage/expected-changes.ts'
import type { BlindTime, ExpectedChanges } from '../stage/expected-changes.ts'
import { startLoad } from '../stage/load.ts'
import { makeNamespace, probe } from '../stage/probe.ts'
import { sharedStage } from '../stage/stage.ts'
import type { Stage } from '../stage/stage.ts'
import { until } from '../until.ts'

/** Restores PostgreSQL and the cluster from backups of two instants, while the bus is newer than both. */
export const chaosCase: ChaosCase = {
  ids: ['A4', 'O7'],
  title:
    'Backup drill under load: PostgreSQL, then the cluster are saved, both are lost, restored and reconciled by `mesh restore`',
  counts: { short: 1, usual: 2, full: 4 },
  minutes: 1.5,
  run: async (_scope, { seed, short, count, whole }) => {
    const stage = await sharedStage(whole)
    const random = createRandom(seed)
    const totals = { lost: 0, duplicated: 0, unaccounted: 0, changes: 0 }
    const recoveryMs: number[] = []
    const epochs: number[] = []
    const details: string[] = []
    for (let drill = 0; drill < count; drill++) {
      const namespace = await makeNamespace(stage, 'backup')
      const expected = createExpectedChanges()
      const load = startLoad(stage, namespace, { random, expected, perSecond: 40 })
      await random.instant(1_000, short ? 1_500 : 5_000)
      const saved = await backUp(stage, await oldestUnrecorded(stage.database, namespace, expected))
      await random.instant(500, 1_000)
      await load.stop()
      await until('the bus has what the backup has not', async () => (await newestSequence(stage)) !== undefined)
      const published = await newestSequence(stage)
      const started = performance.now()
      await restore(stage, saved)
      await probe(stage)
      recoveryMs.push(performance.now() - started)
      epochs.push(await assertNewEpoch(stage, published))
      const found = await settle(stage, namespace, kept(expected, saved))
      totals.lost += found.lost.length
      details.push(...found.lost.slice(0, 3).map((one) => `lost: ${describe(one)}`))
      totals.duplicated += found.duplicated
      totals.unaccounted += found.phantoms.length
      totals.changes += expected.changes.length
    }
    const { changes, ...verdict } = totals
    return {
      faults: count,
      ...verdict,
      recoveryMs,
      notes: [
        `${changes} changes around the backups: what the cluster's backup has is a row, what came later is in neither; epochs ${epochs.join(', ')}`,
        ...details,
      ],
    }
  },
}

interface Saved {
  readonly dump: string
  readonly etcd: string
  /** From this time (`performance.now()`) on, changes may be missing in the dump. */
  readonly storeFrom: number
  /** Start and end of the copy of etcd. */
  readonly clusterFrom: number
  readonly clusterTo: number
}

// Objects first (none are stored outside yet), then PostgreSQL, then the cluster: a row's target is in a later backup.
async function backUp(stage: Stage, storeFrom: number): Promise<Saved> {
  const [dump, etcd] = [join(stage.folder, 'dump.sql'), join(stage.folder, 'etcd-copy')]
  run('pg_dump', ['--no-owner', '--file', dump, stage.postgres.url])
  const clusterFrom = performance.now()
  rmSync(etcd, { recursive: true, force: true })
  await stage.kube.kill9('etcd')
  cpSync(join(stage.kube.facts.folder, 'etcd'), etcd, { recursive: true })
  await stage.kube.restart('etcd')
  return { dump, etcd, storeFrom, clusterFrom, clusterTo: performance.now() }
}

async function restore(stage: Stage, saved: Saved): Promise<void> {
  const roles = [stage.bff, stage.worker, stage.manager]
  await Promise.all(roles.map((role) => role.end('SIGKILL')))
  // A spool is lost with its node; a remaining one would report acts after the backups.
  rmSync(join(stage.folder, 'spool-bff'), { recursive: true, force: true })
  await execute(stage.postgres.adminUrl, 'drop database mesh with (force)')
  await execute(stage.postgres.adminUrl, 'create database mesh')
  run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--file', saved.dump, stage.postgres.url])
  const data = join(stage.kube.facts.folder, 'etcd')
  await stage.kube.kill9('etcd')
  rmSync(data, { recursive: true, force: true })
  cpSync(saved.etcd, data, { recursive: true })
  await stage.kube.restart('etcd')
  // The API server's cache is newer than the restored etcd.
  await stage.kube.restart('apiserver')
  // The dump was taken from a running store, whose leases expire by the clock.
  await until('no lease of the backup runs', async () => {
    const { rows } = await sql`select 1 from leader where expires_at > clock_timestamp()`.execute(stage.database.root)
    return rows.length === 0
  })
  await stage.command('restore')
  for (const role of roles) role.start()
  await untilHealthy(stage)
}

function run(program: string, args: readonly string[]): void {
  const done = spawnSync(program, args, { encoding: 'utf8' })
  if (done.error !== undefined) throw new NotHere(`${program} is not installed`)
  assert.equal(done.status, 0, done.stderr)
}

// Only changes that the cluster's backup certainly contains; those at its edge may be on either side.
function kept(expected: ExpectedChanges, saved: Saved) {
  const before = expected.changes.filter(({ to }) => to < saved.clusterFrom)
  const edge = expected.changes.filter(({ from, to }) => to >= saved.clusterFrom && from <= saved.clusterTo)
  const doubtful = new Set([...expected.doubtful, ...edge.map(({ verb, name }) => `${verb}/${name}`)])
  // After the store's backup only a list reports changes, whichever writer made them.
  const blind: BlindTime = { from: saved.storeFrom, to: Infinity }
  const known = before.map((change) => (change.to < saved.storeFrom ? change : { ...change, via: 'cluster' as const }))
  return { expected: { changes: known, doubtful }, blind }
}

async function settle(stage: Stage, namespace: string, { expected, blind }: ReturnType<typeof kept>) {
  const compare = () => compareWithRows(stage.database, namespace, expected, [blind])
  const complete = until('every kept change is a row', async () => {
    const found = await compare()
    return found.lost.length === 0 ? found : undefined
  })
  return complete.catch(compare)
}

async function newestSequence({ nats }: Stage): Promise<string | undefined> {
  const connection = await connect({ servers: nats.url })
  try {
    const manager = await jetstreamManager(connection)
    const { state } = await manager.streams.info(streamName)
    const message = await manager.streams.getMessage(streamName, { seq: state.last_seq })
    return message?.json<{ sequence: string }>().sequence
  } finally {
    await connection.close()
  }
}

// An integrator that sorts by `sequence` must order every new event after every earlier one.
async function assertNewEpoch(stage: Stage, before: string | undefined): Promise<number> {
  const connection = await connect({ servers: stage.nats.url })
  const manager = await jetstreamManager(connection)
  const { state } = await manager.streams.info(streamName)
  const first = await manager.streams.getMessage(streamName, { seq: state.first_seq })
  await connection.close()
  const { sequence } = first?.json<{ sequence: string }>() ?? { sequence: '' }
  assert.ok(
    before !== undefined && sequence > before,
    `the new stream begins with ${sequence}, ${before} was published`,
  )
  return Number(sequence.slice(0, 6))
}
