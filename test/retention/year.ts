import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { pruneTombstones } from '#core/controllers/objects/object-index.ts'
import type { Database } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createRetention } from '#core/event-store/maintenance/event-retention.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { readJsonTraces } from '#core/otlp/read-json.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { removeEnded, removePastAccounts } from '#plugins/budgets/store/end.ts'
import { agentLabelsChanged } from '#plugins/cost/contract/events.ts'
import { costJobs } from '#plugins/cost/jobs.ts'
import { costProjection } from '#plugins/cost/projections/cost-days.ts'
import { meteredEvent } from '#plugins/cost/testing/cost-store.ts'
import { feedbackConsumers } from '#plugins/feedback/consumers.ts'
import { recordScore } from '#plugins/feedback/record-score.ts'
import { feedbackSettings } from '#plugins/feedback/contract/settings.ts'
import { memoryJobs } from '#plugins/memory/jobs.ts'
import { memorySettings } from '#plugins/memory/contract/settings.ts'
import { rememberItem } from '#plugins/memory/store/remember-item.ts'
import { createRunWriter } from '#plugins/runs/lifecycle/run-writer.ts'
import { runsProjection } from '#plugins/runs/projections.ts'
import { createRunRetention } from '#plugins/runs/retention/run-retention.ts'
import { markRatedIn } from '#plugins/runs/store/rated-runs.ts'
import { lockRun } from '#plugins/runs/store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '#plugins/runs/contract/tables.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { sharingConsumers } from '#plugins/sharing/consumers.ts'
import { createShareRetention } from '#plugins/sharing/jobs.ts'
import { recordShare } from '#plugins/sharing/shares/record-share.ts'
import { sharingSettings } from '#plugins/sharing/contract/settings.ts'
import { openRecordings } from './recordings.ts'
import { openRequests } from './requests.ts'
import { tracesJobs } from '#plugins/traces/jobs.ts'
import { toChunks } from '#plugins/traces/spans/stored-span.ts'
import { storeSpans } from '#plugins/traces/store/store-spans.ts'
import { exportOf, spanId, spanOf } from '#plugins/traces/testing/spans.ts'

const RUNS_PER_STEP = 3
const RETENTION_DAYS = 30
const COST_DAYS = 60
const nothing = (): undefined => undefined
const worker = { name: 'worker', kind: 'system' } as const

/** Uses the platform's stores, step by step, and enforces their retention as its leader does. */
export async function openYear(t: TestContext, database: Database) {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', 'default', '1', '')`.execute(database.root)
  const bus = createMemoryBus()
  const store = createStore(database, { projections: [runsProjection, costProjection] })
  const world = { ...createWorld(database, bus), store }
  const writer = createRunWriter(store, { live: world.live, now: () => new Date() })
  const recordings = openRecordings(t, { store, lockIn, retentionDays: RETENTION_DAYS })
  const requests = await openRequests(t, { database, store, retentionDays: RETENTION_DAYS })
  const consumers = [
    ...sharingConsumers({ removed: nothing }),
    ...feedbackConsumers({ removed: nothing } as never),
    ...recordings.consumers,
  ]
  const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
  t.after(async () => {
    await running.stop()
    await bus.close()
  })
  const jobs = [...retentionJobs(database, store), ...recordings.jobs, ...requests.jobs]
  const year = { database, store, world: { ...world, writer }, record: recordings.record }
  return {
    /** Size of the object store. */
    objects: recordings.measure,
    use: async (step: number): Promise<void> => {
      await useOnce(year, step)
      await requests.send(step)
      for (let n = 0; n < RUNS_PER_STEP; n++) await runOnce(year, step, n)
    },
    enforce: async (): Promise<void> => {
      await running.sweepNow()
      // A relay that has published everything.
      await sql`insert into cursor (name, stream, position) select 'relay', '*', max(position) from events
        on conflict (name, stream) do update set position = excluded.position`.execute(database.root)
      for (const job of jobs) {
        const election = createLeaderElection({ database, holder: 'one', name: job.name })
        await election.run((term) => job.run(term), new AbortController().signal)
      }
      await running.sweepNow()
    },
    /** The counters of quotas are what is stored. */
    holdCounters: async (): Promise<void> => {
      const { rows } = await sql<Record<string, string>>`select
        (select coalesce(sum(bytes), 0) from sharing_usage)::text as shares,
        (select coalesce(sum(octet_length(head) + octet_length(events)), 0) from sharing_snapshots)::text as snapshots,
        (select coalesce(sum(scores), 0) from feedback_usage)::text as scores,
        (select count(*) from feedback_scores)::text as stored_scores,
        (select coalesce(sum(bytes), 0) from recording_usage)::text as recordings,
        (select coalesce(sum(bytes), 0) from recording_runs)::text as recorded_runs,
        (select coalesce(sum(bytes), 0) from runs_storage)::text as runs,
        (select coalesce(sum(bytes), 0) from runs_lease)::text as stored_runs`.execute(database.root)
      const [found = {}] = rows
      assert.deepEqual(
        [found['shares'], found['scores'], found['recordings'], found['runs']],
        [found['snapshots'], found['stored_scores'], found['recorded_runs'], found['stored_runs']],
      )
      assert.equal(found['recordings'], String(recordings.measure().bytes))
    },
  }
}

type Store = ReturnType<typeof createStore>

interface Year {
  readonly database: Database
  readonly store: Store
  readonly world: ReturnType<typeof createWorld>
  readonly record: (run: SelectedRun) => Promise<void>
}

function retentionJobs(database: Database, store: Store): readonly Job[] {
  const core = { store, metrics: createMetrics() }
  const context = { role: 'worker' } as never
  const all: readonly Job[] = [
    createRunRetention({ store, retentionDays: RETENTION_DAYS, removed: nothing }),
    createShareRetention({ store, removed: nothing }),
    ...tracesJobs({ core, settings: { retentionDays: RETENTION_DAYS }, removed: nothing } as never, context),
    ...costJobs({ store, settings: { retentionDays: COST_DAYS } } as never, context),
    ...memoryJobs({ core, settings: Value.Create(memorySettings) } as never, context),
    {
      name: 'budgets.remove-holds',
      leaderOnly: true,
      every: 1,
      run: async () => {
        for (const remove of [removeEnded, removePastAccounts])
          await store.transact((tx) => remove(tx, RETENTION_DAYS, 500))
      },
    },
    createRetention({ database, retentionDays: RETENTION_DAYS, also: [pruneTombstones] }),
  ]
  return all.filter(({ leaderOnly }) => leaderOnly)
}

/** An agent that comes and goes, with its labels, a call that is metered, and a hold. */
async function useOnce({ database, store }: Year, step: number): Promise<void> {
  const uid = `agent-${step}`
  const subject = { namespace: 'default', kind: 'AgentDeployment', name: uid, uid, namespaceUid: 'ns-uid' }
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at)
    values (${uid}, 'AgentDeployment', 'default', ${uid}, '1', '', now())`.execute(database.root)
  await store.transact((tx) =>
    tx.append(`cost-agents/${uid}`, 'any', [{ type: agentLabelsChanged, subject, data: { labels: { a: 'b' } } }]),
  )
  await sql`insert into budgets_accounts (owner, currency, spend_window, window_start)
    select ${`agent/${uid}`}, 'USD', span, budgets_window_start(span, now()) from unnest(array['hour', 'month']) span`.execute(
    database.root,
  )
  await sql`insert into budgets_holds (id, holder, request_key, agent_uid, route, amount, max_output, prices, accounts,
      limits, rates, state, charged, expires_at, ended_at)
    values (${uuidV7()}, 'launcher', ${uuidV7()}, 'uid-1', 'default/fast', 1, 1, '[]', '{}', '{}', '{}', 'settled', 1,
      now(), now())`.execute(database.root)
}

async function runOnce(year: Year, step: number, n: number): Promise<void> {
  const { store, world } = year
  const run = await queueRunOf(world, { input: 'x'.repeat(500) })
  const started = { fact: 'started', epoch: 1, segment: 1 } as const
  const interrupts = [{ id: 'q', reason: 'input_required' }] as const
  const end =
    n === 0
      ? ({ fact: 'paused', pauseReason: 'input_required', interrupts } as const)
      : ({ fact: 'succeeded' } as const)
  const entry = {
    ts: new Date(),
    kind: 'message.finished',
    path: ['robot'],
    spanId: 's',
    data: { text: 'y'.repeat(500) },
  } as const
  await world.writer.change(run.id, { actor: worker }, () => ({ facts: [started, end], entries: [entry] }))
  await referTo(year, run)
  const call = meteredEvent({
    at: new Date().toISOString(),
    agentUid: `agent-${step}`,
    runId: run.id,
    namespaceUid: 'ns-uid',
  })
  await store.transact((tx) => tx.append(`model-calls/${uuidV7()}`, 'any', [call as never]))
}

async function lockIn(tx: Parameters<Parameters<Store['transact']>[0]>[0], runId: string): Promise<boolean> {
  return (await lockRun(tx.tables<RunsTables>(), runId)) !== undefined
}

/** A share, a score, spans, a recording and a memory of a run. */
async function referTo({ store, record }: Year, run: SelectedRun): Promise<void> {
  const {
    id,
    namespace,
    namespace_uid: namespaceUid,
    agent_name: agent,
    trace_id: traceId,
    trigger_kind: trigger,
  } = run
  const found = { id, namespace: namespace as never, namespaceUid, agent, traceId, trigger }
  await record(run)
  await recordShare(
    { store, runs: { lockIn }, settings: Value.Create(sharingSettings) },
    {
      run: found,
      createdBy: 'alice',
      validMs: 30 * 86_400_000,
      maxViews: null,
      redaction: { content: 'full', reason: null },
      shown: { run: {}, tree: { root: {} }, truncated: false, events: [] },
      idempotency: undefined,
    },
  )
  await recordScore(
    {
      store,
      runs: { lockIn, markRatedIn: (tx, runId) => markRatedIn(tx.tables<RunsTables>(), runId) },
      settings: Value.Create(feedbackSettings),
      now: () => new Date(),
      counted: nothing,
    },
    { run: found, request: { value: 1 }, source: 'person', author: 'alice' },
  )
  const quotas = { spansPerTrace: 1_000, bytesPerNamespace: 2 ** 30 }
  const owner = { namespace, uid: 'uid-1', name: 'robot' }
  const { spans } = readJsonTraces(exportOf(spanOf(traceId, spanId(0))), Date.now())
  await store.transact((tx) => storeSpans(tx, owner, toChunks(spans), quotas))
  const item = {
    text: randomBytes(200).toString('hex'),
    metadata: {},
    ttlMs: 20 * 86_400_000,
    runId: id,
    vector: undefined,
  }
  await rememberItem(store, { ...owner, subject: 'alice' }, item, Value.Create(memorySettings))
}
