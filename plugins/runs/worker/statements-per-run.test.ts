import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { openCounted } from '#core/database/testing/counted-database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { needs } from '#test/harness/find-server.ts'
import {
  countsSince,
  createStatementCounter,
  describeCounts,
  statementsIn,
  transactionsIn,
} from '#test/harness/statement-count.ts'
import type { StatementCounter, StatementCounts } from '#test/harness/statement-count.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { createWorld, queueRunOf, startWorker, workerServices } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

/**
 * Bounds of a run without other work: creation, claim, dispatch, journal of five entries and result. Statements include `begin` and
 * `commit`. A change that needs fewer lowers the bound of its adapter.
 */
const bounds = {
  // Up to three notifications, of which one may cover many commits.
  postgres: { statements: 26, transactions: 4 },
  pglite: { statements: 23, transactions: 4 },
} as const

// The poll of the queue adds statements to some of the runs, and may claim the first before its wake-up.
const runs = 3
const quietMs = 150

for (const adapter of ['pglite', 'postgres'] as const)
  test(
    `a simple run on ${adapter} takes no more statements and transactions than its bound`,
    adapter === 'pglite' ? {} : needs('postgres', 'initdb'),
    async (t) => {
      const counter = createStatementCounter()
      const database = await openCounted(t, adapter, counter)
      await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, runsMigrations])
      const world = createWorld(database)
      const launcher = await startForgedLauncher(t, (response) => response.end(script))
      const services = workerServices(world, () => launcher.url)
      const worker = startWorker(services, 'one')
      t.after(() => worker.stop())
      const counted: StatementCounts[] = []
      for (let turn = 0; turn <= runs; turn++) counted.push(await countRun(world, counter))
      const [fewest = {}] = counted.slice(1).toSorted((a, b) => statementsIn(a) - statementsIn(b))
      const found = { statements: statementsIn(fewest), transactions: transactionsIn(fewest) }
      const all = JSON.stringify(counted.map(statementsIn))
      const text = `${JSON.stringify(found)} of ${all}, bound ${JSON.stringify(bounds[adapter])}:\n${describeCounts(fewest, 1, 200)}`
      assert.ok(found.statements <= bounds[adapter].statements, text)
      assert.ok(found.transactions <= bounds[adapter].transactions, text)
      assert.ok(found.statements > 5 && found.transactions > 1, `the counter misses statements: ${text}`)
    },
  )

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }

// In one chunk, so that the number of batches does not depend on time.
const script =
  [
    entryJson('step.started', 1, '{}'),
    entryJson('message.started', 2, '{"messageId":"m"}'),
    entryJson('message.delta', undefined, '{"messageId":"m","offset":0,"text":"Hi"}'),
    entryJson('message.finished', 3, '{"messageId":"m","text":"Hi"}'),
    entryJson('step.finished', 4, '{}'),
    entryJson('run.succeeded', 5, resultJson('succeeded', '"output":"Hi"')),
  ]
    .map(frame)
    .join('') + 'event: stream.end\ndata: {}\n\n'

async function countRun(world: World, counter: StatementCounter): Promise<StatementCounts> {
  const runId = uuidV7()
  const ended = Promise.withResolvers<void>()
  const frames = await world.live.onFrame(runId, ({ kind }) => {
    if (kind === 'run.succeeded' || kind === 'run.failed') ended.resolve()
  })
  await untilQuiet(counter)
  const before = counter.counts()
  await queueRunOf(world, { runId, input: 'Hi' })
  await ended.promise
  await untilQuiet(counter)
  const counts = countsSince(before, counter.counts())
  await frames.stop()
  const run = await findRun(world.store.reader<RunsTables>(), runId)
  assert.equal(run?.state, 'succeeded')
  return counts
}

async function untilQuiet(counter: StatementCounter): Promise<void> {
  let [seen, since] = [-1, 0]
  while (performance.now() - since < quietMs) {
    const now = statementsIn(counter.counts())
    if (now !== seen) [seen, since] = [now, performance.now()]
    await pause(10)
  }
}
