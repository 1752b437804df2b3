import type { Decision, Interrupt, Usage } from '#schemas/run.ts'
import type { SelectedRun } from './store/tables.ts'

/** A run as the API shows it (shape table of the API, "Run"). Content is absent in lists. */
export interface Run {
  readonly id: string
  readonly agent: { readonly namespace: string; readonly name: string; readonly revision: number | null } | null
  readonly conversationId: string
  readonly rootRunId: string
  readonly parentRunId: string | null
  readonly trigger: { readonly kind: string; readonly by: string }
  readonly subject: string
  readonly decidedBy: string | null
  readonly state: SelectedRun['state']
  readonly pauseReason: SelectedRun['pause_reason']
  readonly failReason: SelectedRun['fail_reason']
  readonly interrupts: readonly Interrupt[]
  readonly decisions?: readonly Decision[]
  readonly input: unknown
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string } | null
  readonly usage: Usage
  readonly cost: { readonly amount: string; readonly currency: string } | null
  readonly traceId: string
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly labels: Readonly<Record<string, string>>
}

/** The content that a detail view adds. */
export interface RunContent {
  readonly input: unknown
  readonly output: unknown
  readonly error: string | null
  readonly interrupts: readonly Interrupt[]
  readonly decisions: readonly Decision[]
}

/** Shapes a row; interrupts that were answered are left out. */
export function toRun(row: SelectedRun, content?: RunContent): Run {
  const open = new Map(row.open_interrupts.map((interrupt) => [interrupt.id, interrupt]))
  const asked = content?.interrupts.filter((interrupt) => open.has(interrupt.id)) ?? [...open.values()]
  return {
    id: row.id,
    agent:
      row.agent_name === null ? null : { namespace: row.namespace, name: row.agent_name, revision: row.agent_revision },
    conversationId: row.conversation_id,
    rootRunId: row.root_run_id,
    parentRunId: row.parent_run_id,
    trigger: { kind: row.trigger_kind, by: row.trigger_by },
    subject: row.subject,
    decidedBy: row.decided_by,
    state: row.state,
    pauseReason: row.pause_reason,
    failReason: row.fail_reason,
    interrupts: asked,
    ...(content === undefined ? {} : { decisions: content.decisions }),
    input: content?.input ?? null,
    output: content?.output ?? null,
    error: row.fail_reason === null ? null : { code: row.fail_reason, message: content?.error ?? row.fail_reason },
    usage: usageOf(row),
    cost: null,
    traceId: row.trace_id,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    labels: row.labels,
  }
}

function usageOf(row: SelectedRun): Usage {
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_tokens,
    reasoningTokens: row.reasoning_tokens,
  }
}
