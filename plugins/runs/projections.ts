import { sql } from 'kysely'
import type { Transaction, UpdateObject } from 'kysely'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { stateAfter } from './lifecycle/decide.ts'
import type { RunFact } from './lifecycle/decide.ts'
import {
  cancelRequested,
  interruptResolved,
  runAttached,
  runCancelled,
  runCreated,
  runDeleted,
  runEvents,
  runFailed,
  runPaused,
  runRejected,
  runRequeued,
  runResumed,
  runStarted,
  runSucceeded,
  runTimedOut,
  usageReported,
} from './events.ts'
import type { RunsTables } from './store/tables.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<RunsTables>
type Apply = (event: Event, tx: Db) => Promise<unknown>

/** The read model, derived from events only: one row per run in `runs_runs`, one per label in `runs_labels`. */
export const runsProjection: Projection = {
  name: 'runs.runs',
  version: 1,
  tables: ['runs_runs', 'runs_labels'],
  types: runEvents,
  async apply(event, tx) {
    await appliers[event.type]?.(event, tx.withTables<RunsTables>())
  },
}

const appliers: Readonly<Record<string, Apply>> = {
  [runCreated.type]: insertRun,
  [runStarted.type]: (event, tx) => {
    const { segment } = dataOf(event, runStarted)
    const startedAt = sql<Date>`coalesce(started_at, ${event.time})`
    return move(event, tx, 'started', { started: true, segment, started_at: startedAt })
  },
  [runRequeued.type]: (event, tx) => {
    const { segment } = dataOf(event, runRequeued)
    return move(event, tx, 'requeued', { started: false, segment, ...(segment === 0 ? { started_at: null } : {}) })
  },
  [runAttached.type]: attachRevision,
  [runPaused.type]: (event, tx) => {
    const { pauseReason, interrupts } = dataOf(event, runPaused)
    return move(event, tx, 'paused', {
      started: false,
      pause_reason: pauseReason,
      open_interrupts: JSON.stringify(interrupts),
    })
  },
  [interruptResolved.type]: closeInterrupt,
  [runResumed.type]: (event, tx) => move(event, tx, 'resumed', { pause_reason: null, open_interrupts: '[]' }),
  [cancelRequested.type]: (event, tx) =>
    move(event, tx, 'cancel-requested', { pause_reason: null, open_interrupts: '[]' }),
  [usageReported.type]: addUsage,
  [runSucceeded.type]: (event, tx) => finish(event, tx, 'succeeded'),
  [runFailed.type]: (event, tx) => finish(event, tx, 'failed', { fail_reason: dataOf(event, runFailed).failReason }),
  [runCancelled.type]: (event, tx) => finish(event, tx, 'cancelled'),
  [runTimedOut.type]: (event, tx) => finish(event, tx, 'timed-out'),
  [runRejected.type]: (event, tx) =>
    finish(event, tx, 'rejected', { fail_reason: dataOf(event, runRejected).failReason }),
  [runDeleted.type]: deleteRun,
}

/** The data of an event whose type was matched by its name. */
function dataOf<Data>(event: Event, type: { readonly of?: Data; readonly type: string }): Data {
  if (event.type !== type.type) throw new Error(`expected ${type.type}, got ${event.type}`)
  return event.data as Data
}

async function deleteRun(event: Event, tx: Db): Promise<void> {
  const { runId } = dataOf(event, runDeleted)
  await tx.deleteFrom('runs_runs').where('id', '=', runId).execute()
  await tx.deleteFrom('runs_labels').where('run_id', '=', runId).execute()
}

async function insertRun(event: Event, tx: Db): Promise<void> {
  const data = dataOf(event, runCreated)
  await tx
    .insertInto('runs_runs')
    .values({
      id: data.runId,
      version: event.version,
      namespace: event.subject.namespace ?? '',
      namespace_uid: data.namespaceUid,
      agent_name: data.agent?.name ?? null,
      agent_uid: data.agent?.uid ?? null,
      agent_revision: data.agent?.revision ?? null,
      executor: data.executor ?? null,
      conversation_id: data.conversationId,
      root_run_id: data.rootRunId,
      parent_run_id: data.parentRunId,
      trigger_kind: data.trigger.kind,
      trigger_by: data.trigger.by,
      subject:
        data.subject ??
        sql<string>`coalesce(
        (select root.trigger_by from runs_runs root where root.id = ${data.rootRunId}), ${data.trigger.by})`,
      decided_by: null,
      state: 'queued',
      pause_reason: null,
      fail_reason: null,
      started: false,
      segment: 0,
      open_interrupts: '[]',
      labels: JSON.stringify(data.labels),
      trace_id: data.traceId,
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      created_at: event.time,
      started_at: null,
      finished_at: null,
    })
    .execute()
  const about = { run_id: data.runId, namespace_uid: data.namespaceUid, created_at: event.time }
  const labels = Object.entries(data.labels).map(([key, value]) => ({ ...about, key, value }))
  if (labels.length === 0) return
  // The trigger of migration 0004 may have inserted the row already.
  await tx
    .insertInto('runs_labels')
    .values(labels)
    .onConflict((on) => on.doNothing())
    .execute()
}

type Change = UpdateObject<RunsTables, 'runs_runs'>

function move(event: Event, tx: Db, fact: RunFact['fact'], change: Change = {}): Promise<unknown> {
  const { runId } = event.data as { runId: string }
  return tx
    .updateTable('runs_runs')
    .set({ ...change, state: stateAfter(fact, 'queued'), version: event.version })
    .where('id', '=', runId)
    .execute()
}

function finish(event: Event, tx: Db, fact: RunFact['fact'], change: Change = {}): Promise<unknown> {
  const over = { started: false, pause_reason: null, open_interrupts: '[]', finished_at: event.time }
  return move(event, tx, fact, { ...over, ...change })
}

async function attachRevision(event: Event, tx: Db): Promise<void> {
  const { runId, agentRevision } = dataOf(event, runAttached)
  await tx
    .updateTable('runs_runs')
    .set({ agent_revision: agentRevision, version: event.version })
    .where('id', '=', runId)
    .execute()
}

async function closeInterrupt(event: Event, tx: Db): Promise<void> {
  const { runId, interruptId } = dataOf(event, interruptResolved)
  const left = sql<string>`coalesce((select jsonb_agg(i) from jsonb_array_elements(open_interrupts) i
    where i->>'id' <> ${interruptId}), '[]'::jsonb)`
  await tx
    .updateTable('runs_runs')
    .set({ open_interrupts: left, version: event.version, decided_by: event.actor?.name ?? null })
    .where('id', '=', runId)
    .execute()
}

async function addUsage(event: Event, tx: Db): Promise<void> {
  const usage = dataOf(event, usageReported)
  await tx
    .updateTable('runs_runs')
    .set({
      version: event.version,
      input_tokens: sumOf('input_tokens', usage.inputTokens),
      output_tokens: sumOf('output_tokens', usage.outputTokens),
      cached_tokens: sumOf('cached_tokens', usage.cachedTokens),
      reasoning_tokens: sumOf('reasoning_tokens', usage.reasoningTokens),
    })
    .where('id', '=', usage.runId)
    .execute()
}

// Larger numbers are exact neither in the column nor in JSON.
function sumOf(column: string, more: number) {
  return sql<number>`least(${sql.ref(column)} + ${more}::float8, ${Number.MAX_SAFE_INTEGER}::float8)`
}
