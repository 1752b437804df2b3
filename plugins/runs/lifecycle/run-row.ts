import type { StoredEvent } from '#core/event-store/event.ts'
import type { Usage } from '#schemas/runs/run.ts'
import {
  cancelRequested,
  interruptResolved,
  runAttached,
  runCancelled,
  runCreated,
  runFailed,
  runPaused,
  runRejected,
  runRequeued,
  runResumed,
  runStarted,
  runSucceeded,
  runTimedOut,
  runWaiting,
  usageReported,
} from '../contract/events.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { stateAfter } from './decide.ts'
import type { RunFact } from './decide.ts'

/** An event of a run, before it has a position. */
export type RunEvent = Pick<StoredEvent, 'type' | 'version' | 'time' | 'subject' | 'actor' | 'data'>

/** Changes of a run's row by an event. */
export interface RowChange {
  readonly set: Readonly<Partial<SelectedRun>>
  /** Start of the first segment: kept once it is set. */
  readonly startedAt?: Date
  /** Id of an interrupt that is no longer open. */
  readonly closes?: string
  readonly usage?: Usage
}

/** The data of an event whose type was matched by its name. */
export function dataOf<Data>(event: RunEvent, type: { readonly of?: Data; readonly type: string }): Data {
  if (event.type !== type.type) throw new Error(`expected ${type.type}, got ${event.type}`)
  return event.data as Data
}

/** Row of a new run. Older events have no subject. */
export function toNewRow(event: RunEvent): Omit<SelectedRun, 'subject'> & { readonly subject: string | undefined } {
  const data = dataOf(event, runCreated)
  return {
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
    subject: data.subject,
    decided_by: null,
    wait_reason: null,
    state: 'queued',
    pause_reason: null,
    fail_reason: null,
    started: false,
    segment: 0,
    open_interrupts: [],
    labels: data.labels,
    trace_id: data.traceId,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    created_at: event.time,
    started_at: null,
    finished_at: null,
  }
}

const changes: Readonly<Record<string, (event: RunEvent) => RowChange>> = {
  [runStarted.type]: (event) => {
    const { segment } = dataOf(event, runStarted)
    return { set: { ...entering('started'), started: true, segment, ...notWaiting }, startedAt: event.time }
  },
  [runRequeued.type]: (event) => {
    const { segment } = dataOf(event, runRequeued)
    const unstarted = segment === 0 ? { started_at: null } : {}
    return { set: { ...entering('requeued'), started: false, segment, ...unstarted, ...notWaiting } }
  },
  [runWaiting.type]: (event) => ({ set: { wait_reason: dataOf(event, runWaiting).reason } }),
  [runAttached.type]: (event) => ({ set: { agent_revision: dataOf(event, runAttached).agentRevision } }),
  [runPaused.type]: (event) => {
    const { pauseReason, interrupts } = dataOf(event, runPaused)
    return {
      set: { ...entering('paused'), started: false, pause_reason: pauseReason, open_interrupts: [...interrupts] },
    }
  },
  [interruptResolved.type]: (event) => ({
    set: { decided_by: event.actor?.name ?? null },
    closes: dataOf(event, interruptResolved).interruptId,
  }),
  [runResumed.type]: () => ({ set: { ...entering('resumed'), ...unpaused } }),
  [cancelRequested.type]: () => ({ set: { ...entering('cancel-requested'), ...unpaused, ...notWaiting } }),
  [usageReported.type]: (event) => ({ set: {}, usage: dataOf(event, usageReported) }),
  [runSucceeded.type]: (event) => finish(event, 'succeeded'),
  [runFailed.type]: (event) => finish(event, 'failed', { fail_reason: dataOf(event, runFailed).failReason }),
  [runCancelled.type]: (event) => finish(event, 'cancelled'),
  [runTimedOut.type]: (event) => finish(event, 'timed-out'),
  [runRejected.type]: (event) => finish(event, 'rejected', { fail_reason: dataOf(event, runRejected).failReason }),
}

/** The row change of an event after the creation; undefined if it changes no row. */
export function toRowChange(event: RunEvent): RowChange | undefined {
  const change = changes[event.type]?.(event)
  return change && { ...change, set: { ...change.set, version: event.version } }
}

/** The row after a change. */
export function applyChange(row: SelectedRun, { set, startedAt, closes, usage }: RowChange): SelectedRun {
  const changed = { ...row, ...set }
  return {
    ...changed,
    started_at: changed.started_at ?? startedAt ?? null,
    open_interrupts: changed.open_interrupts.filter(({ id }) => id !== closes),
    ...(usage && {
      input_tokens: sum(row.input_tokens, usage.inputTokens),
      output_tokens: sum(row.output_tokens, usage.outputTokens),
      cached_tokens: sum(row.cached_tokens, usage.cachedTokens),
      reasoning_tokens: sum(row.reasoning_tokens, usage.reasoningTokens),
    }),
  }
}

/** Merges two successive changes; undefined if one update cannot express them. */
export function joinChanges(first: RowChange, then: RowChange): RowChange | undefined {
  const depends = then.closes !== undefined || first.closes !== undefined || then.startedAt !== undefined
  if (depends || 'started_at' in then.set) return undefined
  const usage = first.usage && then.usage ? addUsage(first.usage, then.usage) : (then.usage ?? first.usage)
  return { ...first, set: { ...first.set, ...then.set }, ...(usage && { usage }) }
}

const notWaiting = { wait_reason: null } satisfies Partial<SelectedRun>
const unpaused = { pause_reason: null, open_interrupts: [] } satisfies Partial<SelectedRun>

function entering(fact: RunFact['fact']): Pick<SelectedRun, 'state'> {
  return { state: stateAfter(fact, 'queued') }
}

function finish(event: RunEvent, fact: RunFact['fact'], more: Partial<SelectedRun> = {}): RowChange {
  return { set: { ...entering(fact), started: false, ...unpaused, ...notWaiting, finished_at: event.time, ...more } }
}

// Not bounded here: the update that adds the sum is bounded.
function addUsage(first: Usage, then: Usage): Usage {
  return {
    inputTokens: first.inputTokens + then.inputTokens,
    outputTokens: first.outputTokens + then.outputTokens,
    cachedTokens: first.cachedTokens + then.cachedTokens,
    reasoningTokens: first.reasoningTokens + then.reasoningTokens,
  }
}

// Larger numbers are not exact, neither in the column nor in JSON.
function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}
