import { randomUUID } from 'node:crypto'
import { isObject } from '#core/json/is-object.ts'
import { pauseReasons } from '#schemas/runs/run.ts'
import type { Interrupt, InvokeResult, PauseReason, Usage } from '#schemas/runs/run.ts'
import { isReservedInterrupt } from './approvals.ts'
import { failed } from './run-context.ts'
import { noUsage } from '../contract/runs/usage.ts'
import type { RunContext } from './run-context.ts'

/** Maximum number of open interrupts per run. */
export const maxInterrupts = 100

/** Message of a run with more interrupts. */
export const tooManyInterrupts = `the agent requested more than ${maxInterrupts} interrupts at once`

/** Paused outcome, with one `interrupt.requested` entry per interrupt; above `maxInterrupts` the run fails. */
export function pause(context: RunContext, given: readonly Interrupt[], checkpoint: unknown): InvokeResult {
  const { approvals } = context
  const interrupts = approvals === undefined ? given : [...approvals.pending(), ...given.map(renamed)]
  if (interrupts.length > maxInterrupts) return failed('agent_error', tooManyInterrupts, context.usage())
  for (const interrupt of interrupts) context.emit('interrupt.requested', { ...interrupt })
  const pauseReason = interrupts[0]?.reason ?? 'input_required'
  const isOwn = given.length > 0 || (checkpoint ?? null) !== null
  const sealed = approvals === undefined ? (checkpoint ?? null) : approvals.seal(checkpoint, isOwn)
  return { state: 'paused', pauseReason, interrupts, checkpoint: sealed, usage: context.usage() }
}

// Interrupts of guardrails and tool calls are added by the launcher, so that no agent can choose their text.
function renamed(interrupt: Interrupt): Interrupt {
  return isReservedInterrupt(interrupt.id) ? { ...interrupt, id: newInterruptId() } : interrupt
}

function newInterruptId(): string {
  return `int_${randomUUID()}`
}

/** An agent that failed while a call waits for approval: the run pauses, and the agent is invoked again when it is resumed. */
export function pausedIfWaiting(context: RunContext, outcome: InvokeResult): InvokeResult {
  const isWaiting = (context.approvals?.pending().length ?? 0) > 0
  if (!isWaiting || outcome.state !== 'failed' || context.signal.aborted) return outcome
  return pause(context, [], null)
}

/** Parses an interrupt of an agent; adds an id, and the default reason if unknown. */
export function toInterrupt(value: unknown): Interrupt {
  const given = isObject(value) ? value : {}
  const reason = pauseReasons.find((known) => known === given.reason) ?? ('input_required' satisfies PauseReason)
  return {
    id: typeof given.id === 'string' && given.id !== '' ? given.id : newInterruptId(),
    reason,
    ...(typeof given.tool === 'string' ? { tool: given.tool } : {}),
    ...(typeof given.toolCallId === 'string' ? { toolCallId: given.toolCallId } : {}),
    ...(given.arguments === undefined ? {} : { arguments: given.arguments }),
    ...(typeof given.question === 'string' ? { question: given.question } : {}),
    ...(given.schema === undefined ? {} : { schema: given.schema }),
  }
}

/** Parses the token counts of an agent; missing and invalid counts are 0. */
export function toUsage(value: unknown): Usage {
  const given = isObject(value) ? value : {}
  const count = (name: keyof Usage): number => {
    const number = given[name]
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0
  }
  const names = Object.keys(noUsage) as (keyof Usage)[]
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<keyof Usage, number>
}
