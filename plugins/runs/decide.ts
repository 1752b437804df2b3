import { Fail } from '#core/errors/domain-error.ts'
import {
  type FailReason,
  type InvokeResult,
  type PauseReason,
  type Resolution,
  type RunState,
  terminalStates,
} from '#schemas/run.ts'

/** What a decision about a run rests on. */
export interface RunFacts {
  readonly state: RunState
  /** Whether a segment was begun and has not ended: from then on the agent may have been invoked. */
  readonly started: boolean
  readonly segment: number
  readonly interrupts: readonly OpenInterrupt[]
}

/** An interrupt that nobody has answered yet. */
export interface OpenInterrupt {
  readonly id: string
  readonly reason: PauseReason
  readonly tool?: string
}

/** The answer to an interrupt as events and the audit log hold it. */
export interface ResolvedInterrupt {
  readonly interruptId: string
  readonly decision: 'approve' | 'reject' | null
  readonly tool?: string
  readonly decisionReason?: string
  /** The caller replaced the arguments of the call. */
  readonly edited?: true
  readonly onReject?: 'answer'
  /** Who the run is done for. */
  readonly subject?: string
}

/** What a caller answers; which fields an interrupt takes follows from its reason. */
export interface ResumeAnswer extends Partial<Resolution> {
  /** A rejection ends the run, or is given to the agent as the answer. */
  readonly onReject?: 'end' | 'answer'
}

/** What a decision yields; `events.ts` gives each its event type, `journal.ts` its journal entry. */
export type RunFact =
  | { readonly fact: 'started'; readonly epoch: number; readonly segment: number }
  | { readonly fact: 'requeued'; readonly segment: number }
  | { readonly fact: 'paused'; readonly pauseReason: PauseReason; readonly interrupts: readonly OpenInterrupt[] }
  | ({ readonly fact: 'interrupt-resolved' } & ResolvedInterrupt)
  | { readonly fact: 'resumed' }
  | { readonly fact: 'cancel-requested' }
  | { readonly fact: 'succeeded' }
  | { readonly fact: 'failed'; readonly failReason: FailReason }
  | { readonly fact: 'cancelled' }
  | { readonly fact: 'timed-out' }
  | { readonly fact: 'rejected'; readonly failReason: FailReason }

/** Whether nothing is left to cancel: the run has ended, or its cancel was requested already. */
export function isSettled(state: RunState): boolean {
  return terminalStates.has(state) || state === 'cancelling'
}

/** Whether the next segment waits for a worker: a new run is queued, one that was resumed is running already. */
export function mayBegin(run: Pick<RunFacts, 'state' | 'started'>): boolean {
  return (run.state === 'queued' || run.state === 'running') && !run.started
}

/** The lease holder begins a segment, once: the agent is never invoked twice (O6). */
export function decideStart(run: RunFacts, epoch: number): readonly RunFact[] {
  if (!mayBegin(run)) return []
  return [{ fact: 'started', epoch, segment: run.segment + 1 }]
}

/**
 * The agent refused the segment because it is busy with other runs: it waits again as if it had not begun, or is over when it has
 * waited for as long as it may take. Only for a segment that no launcher can have (O6).
 */
export function decideBusy(run: RunFacts, overdue: boolean): readonly RunFact[] {
  if (run.state === 'cancelling') return [{ fact: 'cancelled' }]
  if (run.state !== 'running') return []
  return [overdue ? { fact: 'timed-out' } : { fact: 'requeued', segment: run.segment - 1 }]
}

/**
 * A person answers an interrupt; the run goes on when none is left open. A rejection ends the run, unless it is the answer that the
 * agent gets. Nothing is approved or answered by an empty body.
 */
export function decideResume(run: RunFacts, answer: ResumeAnswer): readonly RunFact[] {
  if (run.state !== 'paused') throw new Fail('run_not_paused')
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
  if (decision === 'reject' && !isAnswer) return [resolved, { fact: 'rejected', failReason: 'approval_denied' }]
  return run.interrupts.length > 1 ? [resolved] : [resolved, { fact: 'resumed' }]
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

/** A person cancels. A second cancel of a run that is being cancelled changes nothing. */
export function decideCancel(run: RunFacts): readonly RunFact[] {
  if (terminalStates.has(run.state)) throw new Fail('run_terminal')
  if (run.state === 'cancelling') return []
  return [{ fact: 'cancel-requested' }]
}

/** The launcher's result ends the segment; an outcome that was reached before the cancel arrived stands. */
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
      // A cancel wins over a pause: nobody shall be asked about a run that is being stopped.
      if (run.state === 'cancelling') return [{ fact: 'cancelled' }]
      return [{ fact: 'paused', pauseReason: result.pauseReason, interrupts: result.interrupts.map(toOpen) }]
  }
}

/** The worker gives up: the agent cannot be reached, its memory of the run is gone, or the subject lost the right. */
export function decideFailure(run: RunFacts, failReason: FailReason): readonly RunFact[] {
  if (terminalStates.has(run.state)) return []
  // Nothing of a cancelled run is left at an agent that is gone or was never invoked.
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
  if (id === undefined && run.interrupts.length > 1) throw new Fail('interrupt_ambiguous')
  const found = id === undefined ? run.interrupts[0] : run.interrupts.find((interrupt) => interrupt.id === id)
  if (found) return found
  throw new Fail('invalid_body', 'No such interrupt is open.', {
    errors: [{ pointer: '/interruptId', detail: 'names no open interrupt of this run' }],
  })
}

function toOpen(interrupt: OpenInterrupt): OpenInterrupt {
  const { id, reason, tool } = interrupt
  return tool === undefined ? { id, reason } : { id, reason, tool }
}
