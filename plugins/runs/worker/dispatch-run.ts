import { sleep } from '#core/async/sleep.ts'
import type { InvokeRequest } from '#schemas/runs/run.ts'
import type { SegmentStart } from '../store/internal/write-run.ts'
import type { Launchers } from './connections/choose-launcher.ts'
import { beginDispatch, decideDispatch, stateAfterResponse } from './decide-dispatch.ts'
import type {
  DispatchAction,
  DispatchResponse,
  DispatchOutcome,
  DispatchState,
  Patience,
  SegmentState,
} from './decide-dispatch.ts'
import { LauncherRefused } from './connections/launcher-client.ts'
import type { LauncherClient } from './connections/launcher-client.ts'

/** A segment to be dispatched, and the effects that a dispatch has. */
export interface Dispatch {
  readonly segment: SegmentState
  /** The launcher that has the segment, or the first one to ask. */
  readonly launcher: LauncherClient
  readonly launchers: Launchers
  readonly cancelled: AbortSignal
  readonly stopping: AbortSignal
  request(): Promise<InvokeRequest>
  /** Commits that the segment starts at a launcher, under its ticket; false when another process changed the run meanwhile. */
  commitStart(start: SegmentStart): Promise<boolean>
}

/** How a dispatch ended, and at which launcher. */
export interface DispatchResult {
  readonly launcher: LauncherClient
  readonly outcome: DispatchOutcome
}

/**
 * Dispatches a segment: executes the actions of `decideDispatch` until one is an outcome. Repeating an invocation is safe: the run id is the
 * idempotency key at its launcher.
 */
export async function dispatchRun(
  dispatch: Dispatch,
  { unreachableAfterMs, busyPatienceMs }: Patience,
): Promise<DispatchResult> {
  const { launchers, cancelled, stopping } = dispatch
  const effects: Effects = { dispatch, launcher: dispatch.launcher, rest: createRest() }
  let state: DispatchState = {
    unreachableAfterMs,
    busyPatienceMs,
    segment: dispatch.segment,
    reachableAt: performance.now(),
    ...observe(),
  }
  let action = beginDispatch(state)
  while (!isOutcome(action)) {
    const answer = await execute(action, effects)
    const observed = { ...state, ...observe() }
    action = decideDispatch(observed, answer)
    state = stateAfterResponse(observed, answer)
  }
  return { launcher: effects.launcher, outcome: action }

  function observe() {
    return {
      now: performance.now(),
      cancelRequested: cancelled.aborted,
      workerStopping: stopping.aborted,
      hasUntriedPod: launchers.hasMore(),
    }
  }
}

interface Effects {
  readonly dispatch: Dispatch
  launcher: LauncherClient
  readonly rest: (signal?: AbortSignal) => Promise<void>
}

type Step = Exclude<DispatchAction, DispatchOutcome>

const outcomes: ReadonlySet<string> = new Set<DispatchOutcome['do']>([
  'follow',
  'requeue',
  'release',
  'fail',
  'abandon',
])

function isOutcome(action: DispatchAction): action is DispatchOutcome {
  return outcomes.has(action.do)
}

async function execute(step: Step, effects: Effects): Promise<DispatchResponse> {
  const { dispatch, launcher } = effects
  switch (step.do) {
    case 'ask-ticket':
      return launcher.ticket().then((ticket) => ({ kind: 'ticket', ticket }), toDispatchResponse)
    case 'commit-start': {
      const { ticket } = step
      const isCommitted = await dispatch.commitStart({ ticket, launcher: launcher.at })
      return isCommitted ? { kind: 'committed', ticket } : { kind: 'superseded' }
    }
    case 'invoke': {
      const request = await dispatch.request()
      return launcher
        .invoke(request, step.ticket)
        .then((answering) => ({ kind: 'accepted', ...answering }), toDispatchResponse)
    }
    case 'attach':
      return { kind: 'attached', agentRevision: await agentRevisionOf(launcher) }
    case 'look-up-pod':
      return { kind: 'pod', listed: !(await launcher.isGone()) }
    case 'wait':
      await effects.rest(signalOf(step, dispatch))
      return { kind: 'waited' }
    case 'choose-launcher':
      // Pods that cannot be listed now are listed again after the next pause.
      effects.launcher = (await dispatch.launchers.next().catch(() => undefined)) ?? launcher
      return { kind: 'launcher', samePod: effects.launcher.at.id === launcher.at.id }
  }
}

// The failure of a launcher that does not respond is handled when it is followed.
async function agentRevisionOf(launcher: LauncherClient): Promise<number | undefined> {
  return launcher.attach().then(
    ({ agentRevision }) => agentRevision,
    () => undefined,
  )
}

function signalOf({ until }: Extract<Step, { do: 'wait' }>, dispatch: Dispatch): AbortSignal | undefined {
  if (until === 'timer') return undefined
  const { cancelled, stopping } = dispatch
  return until === 'timer-or-cancel' ? cancelled : AbortSignal.any([cancelled, stopping])
}

// Pauses from 50 ms, doubled up to a second.
function createRest(): (signal?: AbortSignal) => Promise<void> {
  let ms = 50
  return (signal) => {
    const resting = sleep(ms, signal)
    ms = Math.min(ms * 2, 1000)
    return resting
  }
}

/** Converts the error of a call to the launcher's response. */
export function toDispatchResponse(error: unknown): DispatchResponse {
  if (!(error instanceof LauncherRefused)) return { kind: isUnsent(error) ? 'unsent' : 'no-answer' }
  const { status, isWithoutRun: withoutRun, runTimeoutMs } = error
  if (status === 429 || status === 503)
    return { kind: status === 429 ? 'busy' : 'unavailable', withoutRun, runTimeoutMs }
  return { kind: status === 412 ? 'stale-ticket' : 'rejected' }
}

function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  // An established connection can fail with the same code; the system call distinguishes them.
  const connecting = 'syscall' in error && error.syscall === 'connect'
  return connecting || unsentCodes.has(error.code)
}

const unsentCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'MESH_LAUNCHER_UNCONNECTED',
  'MESH_LAUNCHER_UNPROVEN',
  'UND_ERR_CONNECT_TIMEOUT',
])
