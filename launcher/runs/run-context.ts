import { randomUUID } from 'node:crypto'
import type { EntryKind, FailReason, InvokeRequest, InvokeResult, Usage } from '#schemas/runs/run.ts'
import type { Attributes, Span, Tracer } from '#core/telemetry/tracer.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { Approvals } from '../contract/runs/approvals.ts'
import type { Journal } from './journal.ts'
import { addUsage, noUsage } from '../contract/runs/usage.ts'

/** Reason of the abort signal of a run. */
export type StopReason = 'cancel' | 'timeout' | 'shutdown' | 'overflow' | 'crash'

/** Context of one attempt of a run, for every form of agent. */
export interface RunContext {
  readonly runId: string
  readonly request: InvokeRequest
  /** Aborts with a `StopReason`; the agent resolves when its work has stopped. */
  readonly signal: AbortSignal
  readonly span: Span
  /** Approvals of model calls and tool calls; undefined: the agent has neither guardrails nor bound tools. */
  readonly approvals?: Approvals | undefined
  readonly usage: () => Usage
  /** Appends a numbered entry. */
  emit(kind: EntryKind, data: Readonly<Record<string, unknown>>, spanId?: string): void
  delta(messageId: string, text: string, spanId?: string): void
  /** Adds to the token counts and appends an entry. */
  report(usage: Usage, data: Readonly<Record<string, unknown>>, spanId?: string): void
  /** Starts a span below the span of the run, or below `parent`. */
  start(name: string, attributes?: Attributes, parent?: Trace): Span
  /** Accounts memory of the agent's response outside the journal until the run ends. */
  hold(bytes: number): void
  /** Resolves when the readers of the run have caught up; undefined if none is behind (F6). */
  pressure(): Promise<void> | undefined
}

/** An agent. `run` resolves with the outcome when all its work has stopped; errors become outcomes. */
export interface Agent {
  run(context: RunContext): Promise<InvokeResult>
}

/** Outcome of a stopped run. */
export function stopped(signal: AbortSignal, usage: Usage): InvokeResult {
  const reason = signal.reason as StopReason
  if (reason === 'cancel') return { state: 'cancelled', usage }
  if (reason === 'timeout') return { state: 'timed_out', usage }
  return failed('agent_error', stopMessages[reason], usage)
}

const stopMessages = {
  overflow: 'the run exceeded the limit of its journal',
  shutdown: 'the launcher was shut down before the run ended',
  crash: 'the process of the agent ended',
} as const

/** Failed outcome with a bounded message. */
export function failed(failReason: FailReason, message: string, usage: Usage): InvokeResult {
  return { state: 'failed', failReason, message: message.slice(0, 2000), usage }
}

/** Creates a message id. */
export function newMessageId(): string {
  return `msg_${randomUUID()}`
}

/** Dependencies of a run context. */
export interface ContextParts extends Pick<RunContext, 'runId' | 'request' | 'signal' | 'span' | 'approvals'> {
  readonly journal: Pick<Journal, 'append' | 'delta' | 'hold' | 'pressure'>
  readonly tracer: Tracer
}

/** Creates the context of an attempt. */
export function createRunContext(parts: ContextParts): RunContext {
  const { runId, request, signal, span, approvals, journal, tracer } = parts
  let total = noUsage
  return {
    runId,
    request,
    signal,
    span,
    approvals,
    usage: () => total,
    emit: (kind, data, spanId = span.spanId) => journal.append(kind, data, spanId),
    delta: (messageId, text, spanId = span.spanId) => journal.delta(messageId, text, spanId),
    report(usage, data, spanId = span.spanId) {
      total = addUsage(total, usage)
      journal.append('usage.reported', { ...data, usage }, spanId)
    },
    start: (name, attributes = {}, parent = span) =>
      tracer.start(name, parent, { 'mesh.run.id': runId, ...attributes }),
    hold: (bytes) => journal.hold(bytes),
    pressure: () => journal.pressure(),
  }
}
