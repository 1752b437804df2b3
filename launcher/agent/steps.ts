import type { Trace } from '#core/telemetry/traceparent.ts'
import type { RunContext } from '../runs/run-context.ts'
import type { Conversation } from './conversation.ts'

/** Starts the next step of a conversation: its span is the parent of the model call and its tool calls. */
export function beginStep(context: RunContext, conversation: Conversation): void {
  const number = ++conversation.steps
  const span = context.start(`step ${number}`, { 'mesh.step': number })
  conversation.open = { spanId: span.spanId, startedAt: new Date().toISOString(), span }
  context.emit('step.started', { step: number }, span.spanId)
}

/** Finishes the step after its tool calls; its duration includes the wait for a person's answer. */
export function finishStep(context: RunContext, conversation: Conversation): void {
  const { open, steps: step } = conversation
  if (open === undefined) return
  conversation.open = undefined
  open.span?.end('ok')
  const durationMs = Math.max(Date.now() - Date.parse(open.startedAt), 0)
  context.emit('step.finished', { step, durationMs }, open.spanId)
}

/** Parent trace of the operations of the open step. */
export function stepTrace(context: RunContext, { open }: Conversation): Trace {
  return open === undefined ? context.span : { ...context.span, spanId: open.spanId }
}
