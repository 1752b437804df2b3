import { MAX_TIMER_MS } from '#schemas/values/duration.ts'
import type { RunsTables } from '../../contract/tables.ts'
import { LeaseLost } from '../../lifecycle/run-writer.ts'
import { workedMs } from '../../store/internal/journal.ts'
import { holdsLease, leaseSeconds } from '../../store/internal/lease.ts'
import { AgentFault } from '../entries/agent-fault.ts'
import type { WorkerServices } from '../segment/worker-services.ts'
import type { ExecutorAttempt } from './executor-run.ts'

/** The deadline of the run has passed during a call of its executor. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached'
}

type End = (error: unknown) => void

/** Ends a call of an executor at the limits of its run. Returns the function that stops watching them. */
export async function limitCall(services: WorkerServices, attempt: ExecutorAttempt, end: End): Promise<() => void> {
  const watches = [
    await limitTime(services, attempt, end),
    limitDeadline(attempt, end),
    limitCancel(services, attempt, end),
    watchLease(services, attempt, end),
  ]
  return () => {
    for (const watch of watches) clearInterval(watch)
  }
}

/** Milliseconds until the deadline of the run; infinite without one. */
export function leftMs({ content: { deadline } }: ExecutorAttempt): number {
  return deadline === null ? Infinity : deadline.getTime() - Date.now()
}

// `runs.agentTimeout` ends a call before the longest timer.
function limitDeadline(attempt: ExecutorAttempt, end: End): NodeJS.Timeout | undefined {
  const left = leftMs(attempt)
  return left > MAX_TIMER_MS ? undefined : setTimeout(() => end(new DeadlineReached()), left)
}

async function limitTime(
  { store, agentTimeoutMs }: WorkerServices,
  { run }: ExecutorAttempt,
  end: End,
): Promise<NodeJS.Timeout> {
  const left = agentTimeoutMs - (await workedMs(store.reader<RunsTables>(), run.id))
  const limit = `${agentTimeoutMs / 1000} s (setting runs.agentTimeout)`
  const late = () => end(new AgentFault('agent_timeout', `The executor worked on the run for longer than ${limit}.`))
  return setTimeout(late, Math.max(left, 0))
}

// Checks the time from the cancel on, because a listener on the signal would outlive this call.
function limitCancel({ cancelPatienceMs }: WorkerServices, { cancel }: ExecutorAttempt, end: End): NodeJS.Timeout {
  let since: number | undefined
  return setInterval(
    () => {
      if (!cancel.signal.aborted) return
      since ??= performance.now()
      if (performance.now() - since >= cancelPatienceMs)
        end(new AgentFault('cancel_timeout', 'The executor did not stop in time after the cancel.'))
    },
    Math.min(1_000, cancelPatienceMs),
  )
}

// Writes check the epoch themselves. This ends work outside the store soon after the lease was lost.
function watchLease({ store }: WorkerServices, { claim, run }: ExecutorAttempt, end: End): NodeJS.Timeout {
  const check = (): void => {
    holdsLease(store.reader<RunsTables>(), claim).then(
      (holds) => holds || end(new LeaseLost(run.id)),
      () => undefined, // the next check retries
    )
  }
  return setInterval(check, (leaseSeconds * 1000) / 3)
}
