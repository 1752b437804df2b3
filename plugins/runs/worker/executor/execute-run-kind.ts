import { describeError } from '#core/log/describe-error.ts'
import type { InvokeResult } from '#schemas/runs/run.ts'
import { mayStart } from '../../lifecycle/decide.ts'
import { LeaseLost } from '../../lifecycle/run-writer.ts'
import type { ExecutorResult, RunExecutor } from '../../contract/points.ts'
import { workedMs } from '../../store/internal/journal.ts'
import type { RunsTables } from '../../contract/tables.ts'
import { failRun } from '../segment/settle-failure.ts'
import { recordResult } from '../segment/record-result.ts'
import { commitStart } from '../segment/start-segment.ts'
import type { WorkerServices } from '../segment/worker-services.ts'
import { DeadlineReached, leftMs, limitCall } from './call-limits.ts'
import { readExecutorResult } from './executor-json.ts'
import type { ReleasedCall } from './executor-json.ts'
import { createExecutorRun } from './executor-run.ts'
import type { ExecutorAttempt } from './executor-run.ts'
import { createProgress } from './progress.ts'

const minPauseMs = 50
const maxPauseMs = 60_000
// A worker that stops gives its executors this time before another worker may continue their runs.
const stopGraceMs = 5_000

/**
 * Executes a run by the executor of its kind. Returns the milliseconds after which it is due again. `isAllowed` reviews a late or later
 * segment before it starts.
 */
export async function executeRunKind(
  services: WorkerServices,
  attempt: ExecutorAttempt,
  isAllowed: () => Promise<boolean>,
): Promise<number | undefined> {
  const { claim, run, cancel } = attempt
  if (run.state === 'cancelling') {
    if (!run.started) return failRun(services, attempt, 'agent_unreachable')
    cancel.abort()
  }
  const executor = services.executors?.find(({ kind }) => kind === run.executor)
  if (executor === undefined) return withoutExecutor(services, attempt)
  const isNew = mayStart(run)
  if (isNew && !(await isAllowed())) return failRun(services, attempt, 'permission_revoked', revoked)
  if (isNew && !(await commitStart(services, claim, run))) return undefined
  const result = await callExecutor(services, executor, {
    ...attempt,
    run: isNew ? { ...run, state: 'running', segment: run.segment + 1 } : run,
    claim: isNew ? { ...claim, launcherN: 0 } : claim,
  })
  if (result === undefined) return undefined
  if (result.state === 'waiting') return pauseMs(attempt, result)
  await recordResult(services, { claim, run }, result)
  return undefined
}

// A run is due again at its deadline, when it ends.
function pauseMs(attempt: ExecutorAttempt, { afterMs }: ReleasedCall): number {
  return Math.min(Math.max(afterMs, minPauseMs), maxPauseMs, Math.max(leftMs(attempt), 0))
}

const revoked = 'The subject of the run no longer has the right to it.'

// A worker of another version may have the executor, so the run waits. A started run waits until its time limit.
async function withoutExecutor(services: WorkerServices, attempt: ExecutorAttempt): Promise<number | undefined> {
  const { run } = attempt
  const message = `No worker of this installation executes runs of the kind ${run.executor ?? ''}.`
  const [waited, limit] = run.started
    ? [await workedMs(services.store.reader<RunsTables>(), run.id), services.agentTimeoutMs]
    : [Date.now() - run.created_at.getTime(), services.unreachableAfterMs]
  if (run.state === 'cancelling' || waited > limit) return failRun(services, attempt, 'agent_unreachable', message)
  return services.retryMs
}

/** Calls the executor within the limits of the run. Returns undefined if this worker stops; throws the reason that ended it. */
async function callExecutor(
  services: WorkerServices,
  executor: RunExecutor,
  attempt: ExecutorAttempt,
): Promise<InvokeResult | ReleasedCall | undefined> {
  if (leftMs(attempt) <= 0) return overdue(attempt)
  const over = new AbortController()
  const signal = AbortSignal.any([attempt.signal, over.signal])
  const end = (error: unknown): void => over.abort(error)
  const progress = createProgress(services, attempt)
  const unwatch = await limitCall(services, attempt, end)
  try {
    const run = createExecutorRun(services, attempt, { signal, end, progress })
    const call = (async () => executor.execute(run, services.forExecutors))()
    const result = await settled(services, attempt, call, signal)
    if (over.signal.reason instanceof DeadlineReached) return overdue(attempt)
    over.signal.throwIfAborted()
    if (attempt.signal.aborted) return undefined
    const read = readExecutorResult(services.limits, result)
    // The children of a cancelled run are cancelled with it.
    return read.state === 'waiting' && attempt.cancel.signal.aborted ? { state: 'cancelled', usage: noUsage } : read
  } finally {
    unwatch()
    progress.close()
    over.abort(new LeaseLost(attempt.run.id))
  }
}

const noUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** The result of the call. Ends without a result when the signal aborts: immediately, or after a grace period if the worker stops. */
async function settled(
  { log }: WorkerServices,
  { run, signal: stopping }: ExecutorAttempt,
  call: Promise<ExecutorResult>,
  signal: AbortSignal,
): Promise<ExecutorResult | undefined> {
  const aborted = Promise.withResolvers<undefined>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => aborted.resolve(undefined), stopping.aborted ? stopGraceMs : 0)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  call.catch((error: unknown) => {
    if (signal.aborted) log.debug({ runId: run.id, ...describeError(error) }, 'executor ended after its run')
  })
  try {
    return await Promise.race([call, aborted.promise])
  } catch (error) {
    // An executor that throws when it is stopped does not fail its run.
    if (signal.aborted) return undefined
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function overdue({ content: { deadline } }: ExecutorAttempt): InvokeResult {
  const message = `The run did not end by its deadline, ${deadline?.toISOString() ?? ''}.`
  return { state: 'timed_out', message, usage: noUsage }
}
