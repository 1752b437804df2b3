import type { Decision, Interrupt, Usage } from '#schemas/runs/run.ts'
import { nothingRead } from '../store/read-activity.ts'
import type { ReadActivity } from '../store/read-activity.ts'
import type { Run, RunActivity, RunCosts, RunDetail, RunError } from '../contract/run.ts'
import { mayStart } from '../lifecycle/decide.ts'
import { waitMessage } from '../launchers/wait-message.ts'
import type { SelectedRun } from '../contract/tables.ts'

/** Additional content of the detail view. */
export interface RunContent {
  readonly input: unknown
  readonly output: unknown
  readonly error: string | null
  readonly interrupts: readonly Interrupt[]
  readonly decisions: readonly Decision[]
}

/** Converts a row for a list, with previews and the beginning of the message of its error. */
export function toListed(row: SelectedRun, costs: RunCosts, read: ReadActivity = nothingRead): Run {
  const { activity, error, inputPreview, outputPreview } = read
  return { ...toRun(row, { ...costs, ...activity }), error: toError(row, error), inputPreview, outputPreview }
}

/** Converts a row. */
export function toRun(row: SelectedRun, more: RunCosts & RunActivity): Run {
  return {
    id: row.id,
    agent:
      row.agent_name === null ? null : { namespace: row.namespace, name: row.agent_name, revision: row.agent_revision },
    conversationId: row.conversation_id,
    ...(row.executor === null ? {} : { executor: row.executor }),
    rootRunId: row.root_run_id,
    parentRunId: row.parent_run_id,
    trigger: { kind: row.trigger_kind, by: row.trigger_by },
    subject: row.subject,
    decidedBy: row.decided_by,
    state: row.state,
    pauseReason: row.pause_reason,
    failReason: row.fail_reason,
    interrupts: row.open_interrupts,
    ...waitReasonOf(row),
    error: errorCode(row),
    usage: usageOfRow(row),
    ...more,
    traceId: row.trace_id,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: between(row.started_at, row.finished_at),
    queueMs: between(row.created_at, row.started_at),
    labels: row.labels,
  }
}

function between(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime())
}

/** Converts a row with its content. Answered interrupts are omitted. */
export function toDetail(row: SelectedRun, more: RunCosts & RunActivity, content: RunContent = noContent): RunDetail {
  const open = new Set(row.open_interrupts.map(({ id }) => id))
  return {
    ...toRun(row, more),
    interrupts: content.interrupts.filter(({ id }) => open.has(id)),
    decisions: content.decisions,
    input: content.input ?? null,
    output: content.output ?? null,
    error: toError(row, content.error),
  }
}

const noContent: RunContent = { input: null, output: null, error: null, interrupts: [], decisions: [] }

/** The error of a run with its stored message; null without an error. */
export function toError(row: SelectedRun, message: string | null | undefined): RunError | null {
  const error = errorCode(row)
  return error && { ...error, message: message ?? defaultMessages[error.code] ?? error.code }
}

// Runs of earlier versions have no message.
const defaultMessages: Readonly<Record<string, string>> = { timed_out: 'longer than limits.timeout' }

function waitReasonOf(row: SelectedRun): Pick<Run, 'waitReason'> {
  const { wait_reason: reason } = row
  if (reason === null || !mayStart(row)) return {}
  return { waitReason: { code: 'agent_not_ready', reason, message: waitMessage(row, reason) } }
}

function errorCode({ state, fail_reason }: SelectedRun): { readonly code: string } | null {
  if (state === 'timed_out') return { code: state }
  return fail_reason === null ? null : { code: fail_reason }
}

/** Tokens of the model calls of a run. */
export function usageOfRow(row: SelectedRun): Usage {
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_tokens,
    reasoningTokens: row.reasoning_tokens,
  }
}
