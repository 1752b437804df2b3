import { Fail } from '#core/errors/domain-error.ts'
import { guardrailInterruptPrefix, terminalStates } from '#schemas/runs/run.ts'
import type { FailReason, InvokeResult, PauseReason, RunState } from '#schemas/runs/run.ts'
import type { ResumeAnswer } from '../contract/caller-runs.ts'
import { runErrors } from '../contract/errors.ts'

/** State of a run, for decisions. */
export interface RunFacts {
  readonly state: RunState
  /** Whether a segment has started and not ended. The agent may have been invoked then. */
  readonly started: boolean
  readonly segment: number
  readonly interrupts: readonly OpenInterrupt[]
  /** Why the run waits for its agent, according to its journal. */
  readonly waitReason?: string | null
}

/** An unanswered interrupt. */
export interface OpenInterrupt {
  readonly id: string
  readonly reason: PauseReason
  readonly tool?: string
}

/** The answer to an interrupt, as in events and the audit log. */
export interface ResolvedInterrupt {
  readonly interruptId: string
  readonly decision: 'approve' | 'reject' | null
  readonly tool?: string
  readonly decisionReason?: string
  /** The caller replaced the arguments of the call. */
  readonly edited?: true
  readonly onReject?: 'answer'
  /** Subject of the run. */
  readonly subject?: string
}

/** Result of a decision. `fact-to-event.ts` has the event type and the journal entry of each fact. */
export type RunFact =
  | { readonly fact: 'started'; readonly epoch: number; readonly segment: number }
  | { readonly fact: 'requeued'; readonly segment: number }
  | { readonly fact: 'waiting'; readonly reason: string }
  | { readonly fact: 'paused'; readonly pauseReason: PauseReason; readonly interrupts: readonly OpenInterrupt[] }
  | ({ readonly fact: 'interrupt-resolved' } & ResolvedInterrupt)
  | { readonly fact: 'resumed' }
  | { readonly fact: 'cancel-requested' }
  | { readonly fact: 'succeeded' }
  | { readonly fact: 'failed'; readonly failReason: FailReason }
  | { readonly fact: 'cancelled' }
  | { readonly fact: 'timed-out' }
  | { readonly fact: 'rejected'; readonly failReason: FailReason }

/** Whether there is nothing to cancel: the run has ended, or a cancel was requested already. */
export function isSettled(state: RunState): boolean {
  return terminalStates.has(state) || state === 'cancelling'
}

/** Whether the next segment waits for a worker. A new run is queued, a resumed one is running already. */
export function mayStart(run: Pick<RunFacts, 'state' | 'started'>): boolean {
  return (run.state === 'queued' || run.state === 'running') && !run.started
}

/** The lease holder starts a segment, at most once, so that the agent is never invoked twice (O6). */
export function decideStart(run: RunFacts, epoch: number): readonly RunFact[] {
  if (!mayStart(run)) return []
  return [{ fact: 'started', epoch, segment: run.segment + 1 }]
}

/** The agent of a run has no ready pod. The same reason is recorded once across all workers. */
export function decideWaiting(run: RunFacts, reason: string): readonly RunFact[] {
  return mayStart(run) && run.waitReason !== reason ? [{ fact: 'waiting', reason }] : []
}

/**
 * The agent refused the segment because it is busy. The run is requeued, or times out if it has waited for its whole time limit.
 * Only for a segment that no launcher can have (O6).
 */
export function decideBusy(run: RunFacts, overdue: boolean): readonly RunFact[] {
  if (run.state === 'cancelling') return [{ fact: 'cancelled' }]
  if (run.state !== 'running') return []
  if (overdue) return [{ fact: 'timed-out' }]
  // A resumed segment that was refused before its start keeps its number.
  return run.started ? [{ fact: 'requeued', segment: run.segment - 1 }] : []
}

/**
 * A caller answers an interrupt. The run resumes when none is open. A rejection ends the run, unless it is passed to the agent as the answer. An
 * empty body approves and answers nothing.
 */
export function decideResume(run: RunFacts, answer: ResumeAnswer): readonly RunFact[] {
  if (run.state !== 'paused') throw new Fail(runErrors.run_not_paused)
  const interrupt = openInterrupt(run, answer.interruptId)
  checkAnswer(interrupt, answer)
  const { decision = null, reason } = answer
  const isAnswer = decision === 'reject' && answer.onReject === 'answer'
  const resolved: RunFact = {
    fact: 'interrupt-resolved',
    interruptId: interrupt.id,
    decision,
    ...(interrupt.tool === undefined ? {} : { tool: interrupt.tool }),
    ...(reason === undefined || reason === '' ? {} : { decisionReason: reason }),
    ...(answer.arguments === undefined ? {} : { edited: true }),
    ...(isAnswer ? { onReject: 'answer' } : {}),
  }
  if (decision === 'reject' && !isAnswer) return [resolved, rejectionOf(interrupt)]
  return run.interrupts.length > 1 ? [resolved] : [resolved, { fact: 'resumed' }]
}

// A guardrail has stopped the run, and the caller confirms the stop.
function rejectionOf({ id }: OpenInterrupt): RunFact {
  if (id.startsWith(guardrailInterruptPrefix)) return { fact: 'failed', failReason: 'guardrail_blocked' }
  return { fact: 'rejected', failReason: 'approval_denied' }
}

function checkAnswer({ reason }: OpenInterrupt, answer: ResumeAnswer): void {
  const { decision } = answer
  const isAnswered = answer.payload !== undefined && answer.payload !== null
  if (reason === 'input_required' && decision !== 'reject' && !isAnswered)
    throw refuse('/payload', 'is required to answer a question')
  if (decision === undefined && (reason === 'approval_required' || !isAnswered))
    throw refuse('/decision', 'must be approve or reject')
  if (answer.arguments !== undefined && (reason !== 'approval_required' || decision !== 'approve'))
    throw refuse('/arguments', 'only with the approval of a tool call')
  if (answer.onReject !== undefined && decision !== 'reject') throw refuse('/onReject', 'only with a rejection')
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] })
}

/** A caller cancels the run. Repeating the request changes nothing. */
export function decideCancel(run: RunFacts): readonly RunFact[] {
  if (terminalStates.has(run.state)) throw new Fail(runErrors.run_terminal)
  if (run.state === 'cancelling') return []
  return [{ fact: 'cancel-requested' }]
}

/** The launcher's result ends the segment. An outcome that was reached before the cancel arrived is kept. */
export function decideResult(run: RunFacts, result: InvokeResult): readonly RunFact[] {
  if (run.state !== 'running' && run.state !== 'cancelling') return []
  switch (result.state) {
    case 'succeeded':
      return [{ fact: 'succeeded' }]
    case 'cancelled':
      return [{ fact: 'cancelled' }]
    case 'timed_out':
      return [{ fact: 'timed-out' }]
    case 'failed':
      return [{ fact: 'failed', failReason: result.failReason }]
    case 'paused':
      // A cancel takes precedence over a pause, so that no person is asked about a run that is being stopped.
      if (run.state === 'cancelling') return [{ fact: 'cancelled' }]
      return [{ fact: 'paused', pauseReason: result.pauseReason, interrupts: result.interrupts.map(toOpen) }]
  }
}

/** The worker gives up: the agent is unreachable, has lost the run, or the subject has lost the right. */
export function decideFailure(run: RunFacts, failReason: FailReason): readonly RunFact[] {
  if (terminalStates.has(run.state)) return []
  // An agent that no longer exists or was never invoked has no work left to cancel.
  if (run.state === 'cancelling') return [{ fact: 'cancelled' }]
  return [{ fact: 'failed', failReason }]
}

/** The state after a fact. */
export function stateAfter(fact: RunFact['fact'] | 'created', before: RunState): RunState {
  return nextState[fact] ?? before
}

const nextState: Readonly<Partial<Record<RunFact['fact'] | 'created', RunState>>> = {
  created: 'queued',
  started: 'running',
  requeued: 'queued',
  paused: 'paused',
  resumed: 'running',
  'cancel-requested': 'cancelling',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  'timed-out': 'timed_out',
  rejected: 'rejected',
}

function openInterrupt(run: RunFacts, id: string | undefined): OpenInterrupt {
  if (id === undefined && run.interrupts.length > 1) throw new Fail(runErrors.interrupt_ambiguous)
  const found = id === undefined ? run.interrupts[0] : run.interrupts.find((interrupt) => interrupt.id === id)
  if (found) return found
  throw new Fail('invalid_body', 'No such interrupt is open.', {
    errors: [{ pointer: '/interruptId', detail: 'is not an open interrupt of this run' }],
  })
}

function toOpen(interrupt: OpenInterrupt): OpenInterrupt {
  const { id, reason, tool } = interrupt
  return tool === undefined ? { id, reason } : { id, reason, tool }
}
