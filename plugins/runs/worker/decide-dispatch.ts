import type { FailReason } from '#schemas/runs/run.ts'

/**
 * The segment to be dispatched. `unanswered`: an invocation by this worker got no response and may still reach its launcher. Without a ticket the
 * launcher of `this-worker` issues none, and that of `previous-worker` must not be invoked again.
 */
export type SegmentState =
  | { readonly kind: 'new' }
  | {
      readonly kind: 'started'
      readonly by: 'this-worker' | 'previous-worker'
      readonly ticket: string | undefined
      readonly unanswered: boolean
    }

/** State of a dispatch when a response arrives. Times are milliseconds of one monotonic clock. */
export interface DispatchState extends Patience {
  readonly segment: SegmentState
  readonly cancelRequested: boolean
  readonly workerStopping: boolean
  /** Whether a ready pod was not tried in the current round. */
  readonly hasUntriedPod: boolean
  readonly now: number
  /** Start of the dispatch, or the latest busy response. */
  readonly reachableAt: number
  /** Time of the first busy response. */
  readonly busySince?: number
}

/** Limits of a dispatch, in milliseconds. */
export interface Patience {
  /** How long the agent may be neither ready nor busy before it counts as unreachable. */
  readonly unreachableAfterMs: number
  /** How long a busy agent is asked before its run is requeued. */
  readonly busyPatienceMs: number
}

/** Result of the previous action, by the launcher, the network, the store or the list of pods. */
export type DispatchResponse =
  | { readonly kind: 'ticket'; readonly ticket: string | undefined }
  /** The start was committed, with the ticket and the pod. */
  | { readonly kind: 'committed'; readonly ticket: string | undefined }
  /** Another process changed the run, the start was not committed. */
  | { readonly kind: 'superseded' }
  /** 200 or 202: the launcher has the run. */
  | { readonly kind: 'accepted'; readonly agentRevision: number | undefined }
  /** 429 (`busy`) or 503 (`unavailable`); `withoutRun`: it proves that the launcher does not have the run. */
  | {
      readonly kind: 'busy' | 'unavailable'
      readonly withoutRun: boolean
      /** `limits.timeout` of the agent, where the launcher reports it. */
      readonly runTimeoutMs: number | undefined
    }
  /** 412: another boot of the launcher than the one that issued the ticket, or the ticket has expired. */
  | { readonly kind: 'stale-ticket' }
  /** Any other error status, such as 409 `stale_epoch`. */
  | { readonly kind: 'rejected' }
  /** No connection: the request was never sent. */
  | { readonly kind: 'unsent' }
  /** The request may have arrived, but no response did. */
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'pod'; readonly listed: boolean }
  | { readonly kind: 'waited' }
  /** The launcher to ask next. */
  | { readonly kind: 'launcher'; readonly samePod: boolean }
  | { readonly kind: 'attached'; readonly agentRevision: number | undefined }

/** The next step of a dispatch. */
export type DispatchAction =
  | { readonly do: 'ask-ticket' }
  | { readonly do: 'commit-start'; readonly ticket: string | undefined }
  | { readonly do: 'invoke'; readonly ticket: string | undefined }
  /** Takes the run over at its launcher without invoking. */
  | { readonly do: 'attach' }
  | { readonly do: 'look-up-pod' }
  | { readonly do: 'wait'; readonly until: 'timer' | 'timer-or-cancel' | 'timer-or-stop' }
  | { readonly do: 'choose-launcher' }
  | DispatchOutcome

/** How a dispatch ends. */
export type DispatchOutcome =
  | { readonly do: 'follow'; readonly agentRevision: number | undefined }
  /** No launcher has the run. The run is queued as before the segment, or times out if it has waited for `runTimeoutMs`. */
  | { readonly do: 'requeue'; readonly runTimeoutMs: number | undefined }
  /** The segment stays started; the next claim has a higher epoch, so the launcher refuses an unanswered invocation of this claim. */
  | { readonly do: 'release' }
  | { readonly do: 'fail'; readonly reason: FailReason }
  | { readonly do: 'abandon' }

type State = DispatchState
type Failure = Extract<
  DispatchResponse,
  { readonly kind: 'busy' | 'unavailable' | 'stale-ticket' | 'rejected' | 'unsent' | 'no-answer' }
>

/** The first action: a segment of a previous worker is invoked with its own ticket only (O6). */
export function beginDispatch(state: DispatchState): DispatchAction {
  return isOfPreviousWorker(state.segment) ? repeatInvocation(state) : { do: 'ask-ticket' }
}

/**
 * Decides the next step after a response (O6). Another launcher is asked, and another ticket committed, only if every invocation of the segment was
 * refused or never sent. After an invocation without a response, asking another launcher could invoke the agent twice.
 */
export function decideDispatch(before: DispatchState, answer: DispatchResponse): DispatchAction {
  const state = stateAfterResponse(before, answer)
  switch (answer.kind) {
    case 'ticket':
      return { do: 'commit-start', ticket: answer.ticket }
    case 'committed':
      return { do: 'invoke', ticket: answer.ticket }
    case 'superseded':
      return { do: 'abandon' }
    case 'accepted':
    case 'attached':
      return { do: 'follow', agentRevision: answer.agentRevision }
    case 'pod':
      return answer.listed ? wait(state) : podIsGone(state)
    case 'waited':
      return afterWait(state)
    case 'launcher':
      return state.segment.kind === 'new' ? { do: 'ask-ticket' } : { do: 'invoke', ticket: state.segment.ticket }
    default:
      return isOfPreviousWorker(state.segment) ? afterFailedRepeat(state, answer) : afterFailure(state, answer)
  }
}

/** The state after a response. */
export function stateAfterResponse(state: DispatchState, answer: DispatchResponse): DispatchState {
  const segment = segmentAfter(state.segment, answer)
  if (!isBusyAnswer(state.segment, answer)) return { ...state, segment }
  return { ...state, segment, reachableAt: state.now, busySince: state.busySince ?? state.now }
}

function segmentAfter(segment: SegmentState, answer: DispatchResponse): SegmentState {
  if (answer.kind === 'committed')
    return { kind: 'started', by: 'this-worker', ticket: answer.ticket, unanswered: false }
  if (segment.kind === 'new') return segment
  if (answer.kind === 'no-answer') return { ...segment, unanswered: true }
  // A ticket is valid for one boot of one launcher. The next one is committed before it is used.
  const isTicketUseless = answer.kind === 'stale-ticket' || (answer.kind === 'launcher' && !answer.samePod)
  return isTicketUseless && segment.by === 'this-worker' && !segment.unanswered ? { kind: 'new' } : segment
}

// 429 without the proof may concern an invocation that is still in transit. 503 counts as a refusal only in a takeover, since it may never end.
function isBusyAnswer(segment: SegmentState, answer: DispatchResponse): boolean {
  if (isOfPreviousWorker(segment)) return 'withoutRun' in answer && answer.withoutRun
  return answer.kind === 'busy' && (answer.withoutRun || !isUnanswered(segment))
}

/** An attempt of the worker that starts the segment has failed. */
function afterFailure(state: State, answer: Failure): DispatchAction {
  if (answer.kind === 'rejected') return { do: 'fail', reason: 'agent_error' }
  if (answer.kind === 'stale-ticket' && isUnanswered(state.segment)) return { do: 'fail', reason: 'lost_worker' }
  const busy = afterBusy(state, answer)
  if (busy !== undefined) return busy
  if (isOverdue(state)) return { do: 'fail', reason: 'agent_unreachable' }
  if (isUnanswered(state.segment)) return { do: 'look-up-pod' }
  return state.hasUntriedPod ? chooseLauncher(state) : wait(state)
}

/** Repeating the invocation of a previous worker has failed. If the launcher refuses it, its journal has the state of the run. */
function afterFailedRepeat(state: State, answer: Failure): DispatchAction {
  if (answer.kind === 'rejected' || answer.kind === 'stale-ticket') return { do: 'attach' }
  return afterBusy(state, answer) ?? (isOverdue(state) ? { do: 'attach' } : { do: 'look-up-pod' })
}

function afterBusy(state: State, answer: Failure): DispatchAction | undefined {
  if (!('withoutRun' in answer) || !isBusyAnswer(state.segment, answer)) return undefined
  if (state.now - (state.busySince ?? state.now) <= state.busyPatienceMs) return undefined
  return isUnanswered(state.segment) ? { do: 'release' } : { do: 'requeue', runTimeoutMs: answer.runTimeoutMs }
}

// The launcher has lost the run with its pod. A takeover detects the loss when it follows the journal, after the entries that it already has.
function podIsGone({ segment }: State): DispatchAction {
  return isOfPreviousWorker(segment) ? { do: 'attach' } : { do: 'fail', reason: 'lost_worker' }
}

function wait({ segment }: State): DispatchAction {
  if (isOfPreviousWorker(segment)) return { do: 'wait', until: 'timer-or-stop' }
  // A cancelled run that may have started is invoked again, since it can only be stopped once its launcher knows it.
  return { do: 'wait', until: isUnanswered(segment) ? 'timer' : 'timer-or-cancel' }
}

function afterWait(state: State): DispatchAction {
  const { segment } = state
  if (isOfPreviousWorker(segment)) return repeatInvocation(state)
  if (segment.kind === 'started' && segment.unanswered) return { do: 'invoke', ticket: segment.ticket }
  return chooseLauncher(state)
}

// A run that is cancelled while no launcher has it is not started. Its failure is recorded as `cancelled`.
function chooseLauncher({ cancelRequested }: State): DispatchAction {
  return cancelRequested ? { do: 'fail', reason: 'agent_unreachable' } : { do: 'choose-launcher' }
}

// The launcher of a previous worker may have the run. Following it forwards the cancel.
function repeatInvocation({ segment, cancelRequested, workerStopping }: State): DispatchAction {
  const isWithoutTicket = segment.kind === 'new' || segment.ticket === undefined
  if (isWithoutTicket || cancelRequested || workerStopping) return { do: 'attach' }
  return { do: 'invoke', ticket: segment.ticket }
}

function isOverdue({ now, reachableAt, unreachableAfterMs }: State): boolean {
  return now - reachableAt > unreachableAfterMs
}

function isUnanswered(segment: SegmentState): boolean {
  return segment.kind === 'started' && segment.unanswered
}

function isOfPreviousWorker(segment: SegmentState): boolean {
  return segment.kind === 'started' && segment.by === 'previous-worker'
}
