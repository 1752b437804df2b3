import { backoffMs } from '#core/async/backoff.ts'
import { longTimeout } from '#core/async/long-timeout.ts'
import { codeOf, isRetryable } from '#core/database/session/database-errors.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { asSpan, createTraceScope } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { childOf, parseTraceparent } from '#core/telemetry/traceparent.ts'
import { checkPayload } from './check-payload.ts'
import type { TaskClaim } from './claim-tasks.ts'
import { assertHeld } from './task-lease.ts'
import { completeTask } from './settle-tasks.ts'
import type { Settlement } from './settle-tasks.ts'
import { TaskFailure } from './task.ts'
import type { Task, TaskContext, TaskHandler } from './task.ts'

/** Dependencies of attempts. */
export interface AttemptOptions {
  readonly log: Logger
  readonly tracer?: Tracer | undefined
  /** Aborts when the process must stop now. */
  readonly halt: AbortSignal
  /** Time between the abort of an attempt and the moment at which it counts as ended; default five seconds. */
  readonly abandonMs?: number
}

// The store could not be reached, which is not a failure of the task.
const storeRetryMs = 1_000

/** Result of an attempt: how the queue records it, undefined if the lease is lost; whether the handler ended the task itself. */
export interface AttemptResult {
  readonly settlement: Settlement | undefined
  readonly completed: boolean
}

/** Runs one attempt of a task. */
export async function runAttempt(
  handler: TaskHandler,
  claim: TaskClaim,
  lost: AbortSignal,
  options: AttemptOptions,
): Promise<AttemptResult> {
  let completed = false
  const onComplete = (): void => {
    completed = true
  }
  const settlement = await attempt(handler, claim, { ...options, lost, onComplete })
  return { settlement, completed }
}

interface Attempting extends AttemptOptions {
  readonly lost: AbortSignal
  readonly onComplete: () => void
}

async function attempt(handler: TaskHandler, claim: TaskClaim, options: Attempting): Promise<Settlement | undefined> {
  const { lost } = options
  const { limits } = handler.type
  const { id, epoch, attempts } = claim
  const dead = (error: string): Settlement => ({ id, epoch, outcome: 'dead', error, keepMs: limits.keepDeadMs })
  // The worker of the last attempt ended without recording its result.
  if (attempts > limits.maxAttempts) return dead('worker_lost')
  const payload: unknown = JSON.parse(claim.payload)
  // Another release may have enqueued it.
  if (checkPayload(handler.type.payload, payload) !== undefined) return dead('invalid_payload')
  const deadline = new AbortController()
  const timer = longTimeout(() => deadline.abort(new TaskFailure('deadline_exceeded')), limits.deadlineMs).unref()
  const signal = AbortSignal.any([options.halt, lost, deadline.signal])
  try {
    await settledOrAbandoned(perform(handler, toTask(claim, payload), { signal, claim, options }), signal, options)
    return lost.aborted ? undefined : { id, epoch, outcome: 'done', keepMs: limits.keepDoneMs }
  } catch (error) {
    if (lost.aborted) return undefined
    if (options.halt.aborted) return { id, epoch, outcome: 'released', afterMs: 0 }
    if (isOfStore(error)) return { id, epoch, outcome: 'released', afterMs: storeRetryMs }
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : error
    options.log.warn({ task: handler.type.name, id, attempts, ...describeError(error) }, 'task attempt failed')
    const failure = cause instanceof TaskFailure ? cause : undefined
    if (failure?.final === true || attempts >= limits.maxAttempts) return dead(nameOf(cause))
    const afterMs = failure?.retryAfterMs ?? backoffMs(attempts - 1, limits.backoff)
    return { id, epoch, outcome: 'failed', error: nameOf(cause), afterMs }
  } finally {
    timer.cancel()
  }
}

interface Performance {
  readonly signal: AbortSignal
  readonly claim: TaskClaim
  readonly options: Attempting
}

// Runs in the trace of the transaction that enqueued the task.
async function perform(handler: TaskHandler, task: Task, { signal, claim, options }: Performance): Promise<void> {
  const { tracer } = options
  const context: TaskContext = {
    signal,
    log: options.log,
    assertHeld: (tx) => assertHeld(tx, claim),
    complete: async (tx) => {
      await completeTask(tx, claim, handler.type.limits.keepDoneMs)
      options.onComplete()
    },
  }
  const run = async (): Promise<void> => handler.handle(task, context)
  const parent = parseTraceparent(claim.traceparent ?? undefined)
  if (tracer !== undefined) {
    const attributes = { 'mesh.task.id': task.id, 'mesh.task.attempt': task.attempt }
    return asSpan({ tracer, parent, name: { name: `task ${handler.type.name}`, kind: 'consumer' }, attributes }, run)
  }
  if (parent === undefined) return run()
  const scope = createTraceScope(childOf(parent), undefined)
  return scope.run(run).finally(() => scope.close())
}

// A handler that ignores its signal must not hold its task, and with it a slot, indefinitely.
async function settledOrAbandoned(
  work: Promise<void>,
  signal: AbortSignal,
  { log, abandonMs = 5_000 }: AttemptOptions,
): Promise<void> {
  const abandoned = Promise.withResolvers<never>()
  let timer: ReturnType<typeof longTimeout> | undefined
  const arm = (): void => {
    timer = longTimeout(() => {
      log.error({}, 'task handler ignores its abort signal')
      abandoned.reject(new TaskFailure('abandoned'))
    }, abandonMs).unref()
  }
  if (signal.aborted) arm()
  else signal.addEventListener('abort', arm, { once: true })
  try {
    await Promise.race([work, abandoned.promise])
  } finally {
    signal.removeEventListener('abort', arm)
    timer?.cancel()
  }
}

function toTask(claim: TaskClaim, payload: unknown): Task {
  const { id, namespace, attempts, epoch, enqueuedAt } = claim
  return {
    id,
    namespace: namespace === '' ? undefined : namespace,
    namespaceUid: claim.namespaceUid ?? undefined,
    key: claim.key ?? undefined,
    payload,
    attempt: attempts,
    epoch,
    enqueuedAt,
  }
}

function isOfStore(error: unknown): boolean {
  return isRetryable(error) || (error instanceof Fail && error.code === 'store_unavailable')
}

// A class, a code or the word of a `TaskFailure`, never a message, which may quote what the other side sent.
function nameOf(error: unknown): string {
  if (error instanceof TaskFailure && /^[\w.-]{1,60}$/.test(error.message)) return error.message
  if (error instanceof Fail) return error.code
  const name = codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
  return /^[\w.-]{1,60}$/.test(name) ? name : 'unknown'
}
