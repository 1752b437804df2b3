import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Intent, Outcome } from '#core/http/endpoint/extension-points.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Store } from '#core/event-store/store.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { auditConsumers } from '../consumers.ts'
import { intentJobs } from './intent-jobs.ts'
import { toOutcomeEvent } from './outcome-entry.ts'
import { createOutcomes } from './outcomes.ts'
import { createWriteBuffer } from './write-buffer.ts'
import { openSpool } from '../spool/spool.ts'
import type { AuditTables } from '../contract/tables.ts'

const act = {
  actor: 'alice',
  action: 'connect',
  resourceKind: 'McpServer',
  namespace: 'demo',
  name: 'one',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}
// A busy machine needs longer than an act may wait.
const patient = { storeMs: 30_000, diskMs: 30_000 }
const newIntent = (): Intent => ({ ...act, id: uuidV7() })
const outcomeOf = (intent: Intent, outcome: Outcome['outcome']): Outcome => ({ ...act, outcome, intent: intent.id })

for (const { name, skip, open } of pluginAdapters) {
  const setUp = async (t: TestContext) => {
    const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
    const database = await open(t, [storeMigrations, own])
    const store = createStore(database, { projections: [] })
    const bus = createMemoryBus()
    t.after(() => bus.close())
    const lines: string[] = []
    const log = createLogger({ destination: { write: (line) => lines.push(line) } })
    const core = { store, log, metrics: createMetrics(), now: () => new Date() }
    const consumers = auditConsumers(new Map(), 90)
    const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
    t.after(() => running.stop())
    const reap = async (): Promise<void> => {
      const [job] = intentJobs(core, 0)
      const election = createLeaderElection({ database, holder: 'one', name: job?.name ?? '' })
      await election.run(async (term) => job?.run(term), new AbortController().signal)
      await running.sweepNow()
    }
    const rows = async () => {
      const found = await store.reader<AuditTables>().selectFrom('audit_log').selectAll().execute()
      return found.map(({ outcome, detail, actor, action }) => ({ outcome, detail, actor, action }))
    }
    const openIntents = async (): Promise<number> => {
      const { rows: found } = await sql<{ n: number }>`select count(*)::int as n from audit_intents`.execute(
        database.root,
      )
      return found[0]?.n ?? -1
    }
    const folder = tempFolder('intents')
    t.after(folder.remove)
    return { core, store, lines, rows, reap, openIntents, settle: () => running.sweepNow(), folder: folder.path }
  }
  const check = (what: string, fn: (rig: Awaited<ReturnType<typeof setUp>>, t: TestContext) => Promise<void>) =>
    test(`${name}: ${what}`, { skip, timeout: 480_000 }, async (t) => fn(await setUp(t), t))
  const row = { actor: 'alice', action: 'connect' }

  check('A2: an intent is in the store before the act; its outcome is one row and settles it', async (rig) => {
    const outcomes = createOutcomes(rig.core, undefined, patient)
    const [good, bad] = [newIntent(), newIntent()]
    await outcomes.intend(good)
    await outcomes.intend(bad)
    assert.equal(await rig.openIntents(), 2)
    outcomes.record(outcomeOf(good, 'success'))
    outcomes.record({ ...outcomeOf(bad, 'denied'), code: 'forbidden' })
    await outcomes.close()
    await rig.settle()
    assert.deepEqual(
      (await rig.rows()).toSorted((a, b) => (a.outcome < b.outcome ? -1 : 1)),
      [
        { ...row, outcome: 'denied', detail: { code: 'forbidden' } },
        { ...row, outcome: 'success', detail: {} },
      ],
    )
    assert.equal(await rig.openIntents(), 0)
  })

  check(
    'A2: an intent that is never settled becomes an error of unknown reason; a later outcome replaces it',
    async (rig) => {
      const outcomes = createOutcomes(rig.core, undefined, patient)
      const intent = newIntent()
      await outcomes.intend(intent)
      await rig.reap()
      await rig.reap()
      assert.deepEqual(await rig.rows(), [{ ...row, outcome: 'error', detail: { reason: 'unknown' } }])
      outcomes.record(outcomeOf(intent, 'success'))
      await outcomes.close()
      await rig.settle()
      assert.deepEqual(await rig.rows(), [{ ...row, outcome: 'success', detail: {} }])
      // In the other order: a late intent, from a spool, does not change the known outcome.
      const again = createOutcomes(rig.core, undefined, patient)
      await again.intend(intent)
      await again.close()
      await rig.reap()
      assert.deepEqual(await rig.rows(), [{ ...row, outcome: 'success', detail: {} }])
    },
  )

  check('A2: while the store is away an intent is spooled within its time limit, and stored later', async (rig) => {
    const spoolAt = join(rig.folder, 'spool')
    const frozen: Store = { ...rig.store, transact: () => new Promise(() => undefined) }
    const spool = openSpool({ folder: spoolAt, maxBytes: 10_000 })
    const stuck = createOutcomes({ ...rig.core, store: frozen }, spool, { ...patient, storeMs: 40 })
    const intent = newIntent()
    const from = performance.now()
    await stuck.intend(intent)
    assert.ok(performance.now() - from < 20_000)
    // As after kill -9: the next process opens a copy of the folder.
    const copy = join(rig.folder, 'copy')
    cpSync(spoolAt, copy, { recursive: true })
    rmSync(join(copy, 'lock'))
    const next = createOutcomes(rig.core, openSpool({ folder: copy, maxBytes: 10_000 }))
    await next.close()
    assert.equal(await rig.openIntents(), 1)
    await rig.reap()
    assert.deepEqual(await rig.rows(), [{ ...row, outcome: 'error', detail: { reason: 'unknown' } }])
  })

  check(
    'A1: outcomes beyond the memory bound are in the spool only; beyond the spool they are counted',
    async (rig) => {
      let away = true
      const flaky: Store = {
        ...rig.store,
        transact: async (fn) => {
          if (away) throw new Fail('store_unavailable')
          return rig.store.transact(fn)
        },
      }
      const spool = openSpool({ folder: join(rig.folder, 'spool'), maxBytes: 500_000, segmentBytes: 20_000 })
      const buffer = createWriteBuffer({ ...rig.core, store: flaky, spool, memorySize: 500 })
      const reported = 1_500
      for (let n = 0; n < reported; n++) {
        const outcome = { ...act, name: `n${String(n).padStart(5, '0')}`, outcome: 'error', code: 'conflict' } as const
        buffer.add({ event: toOutcomeEvent(outcome, new Date()) })
      }
      away = false
      await buffer.close()
      await rig.settle()
      const drops = rig.lines.filter((line) => line.includes('mesh_audit {')).length
      const written = (await rig.rows()).length
      assert.equal(written + drops, reported)
      assert.ok(written > 600 && drops > 0, `${written} rows, ${drops} drops`)
      assert.match(await rig.core.metrics.render(), new RegExp(`^mesh_audit_dropped_rows_total ${drops}$`, 'm'))
      assert.match(await rig.core.metrics.render(), /^mesh_audit_spooled_rows 0$/m)
    },
  )
}
