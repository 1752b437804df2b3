import type { Transaction } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { BackoffBounds } from '#core/async/backoff.ts'
import type { Logger } from '#core/log/logger.ts'

/** Limits of a task. Durations in milliseconds. */
export interface TaskLimits {
  /** Attempts until a task is dead; default 10. An attempt that a killed worker began counts. */
  readonly maxAttempts: number
  /** Time of one attempt, after which its signal aborts and the attempt has failed; default one minute. */
  readonly deadlineMs: number
  /** Delay after the first failure, doubled with each further one up to the longest; default 1 s to 10 minutes. */
  readonly backoff: BackoffBounds
  /** Tasks that one process runs at the same time; default 20. */
  readonly concurrency: number
  /** Of these, tasks of one namespace; default half. */
  readonly perNamespace: number
  /** Waiting tasks of one namespace; more are refused with 429; default 10,000. */
  readonly maxQueued: number
  /** Largest payload as JSON; default 64 KiB. */
  readonly maxPayloadBytes: number
  /** How long done and dead tasks are kept, with their keys; default a day and 30 days. */
  readonly keepDoneMs: number
  readonly keepDeadMs: number
}

/** A declared task: name, schema of its payload, limits. Code that enqueues it and its handler share the value. */
export interface TaskType<Payload = unknown> {
  /** `<plugin>.<purpose>`. */
  readonly name: string
  readonly payload: TSchema
  readonly limits: TaskLimits
  /** Type of the payload; never set. */
  readonly carries?: Payload
}

/** One attempt of a task. */
export interface Task<Payload = unknown> {
  readonly id: string
  /** Namespace that the task belongs to; undefined for the installation. */
  readonly namespace: string | undefined
  /** Uid of that namespace, if it was given: the namespace with that name may be a different one by now. */
  readonly namespaceUid: string | undefined
  readonly key: string | undefined
  readonly payload: Payload
  /** 1 for the first. */
  readonly attempt: number
  /** Fencing token: grows with each attempt of this task, also on another worker. A receiver that remembers it can refuse an older one. */
  readonly epoch: bigint
  readonly enqueuedAt: Date
}

/** A transaction of the store, whatever its tables. */
export interface TaskTransaction {
  tables<Tables>(): Transaction<Tables>
}

/** Operations of a handler besides its effect. */
export interface TaskContext {
  /** Aborts at the deadline, when the lease is lost, and when the process stops. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Throws `TaskLeaseLost` unless this attempt still holds the task, and keeps it until COMMIT: no other worker takes the task meanwhile. */
  assertHeld(tx: TaskTransaction): Promise<void>
  /** Ends the task in the handler's own transaction, so that its effect and its end commit together. Throws `TaskLeaseLost`. */
  complete(tx: TaskTransaction): Promise<void>
}

/** Function of a worker for one type of task. It may run more than once for a task: effects are idempotent, or use `complete`. */
export interface TaskHandler<Payload = unknown> {
  readonly type: TaskType<Payload>
  handle(task: Task<Payload>, context: TaskContext): Promise<void>
}

/** Another attempt of the task has begun, or the task has ended; a write of this one must not be committed. */
export class TaskLeaseLost extends Error {
  constructor(id: string, epoch: bigint) {
    super(`attempt ${epoch} of task ${id} no longer holds it`)
    this.name = 'TaskLeaseLost'
  }
}

/** A failed attempt with instructions for the queue. Other errors are retried with the back-off of the task. */
export class TaskFailure extends Error {
  /** The task is dead and not retried. */
  readonly final: boolean
  /** Delay before the next attempt, in place of the back-off. */
  readonly retryAfterMs: number | undefined

  /** `reason` is stored and listed: a word such as `refused_by_receiver`, never a text from the other side. */
  constructor(reason: string, options: { readonly final?: boolean; readonly retryAfterMs?: number } = {}) {
    super(reason)
    this.name = 'TaskFailure'
    this.final = options.final ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Declares a task. Throws for a wrong name or limit. */
export function defineTask<const S extends TSchema>(
  spec: { readonly name: string; readonly payload: S } & Partial<TaskLimits>,
): TaskType<Static<S>> {
  const { name, payload, ...given } = spec
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,99}$/.test(name))
    throw new TypeError('a task needs a name of lowercase letters, digits, . and -, such as acme.deliver')
  if (typeof payload !== 'object' || payload === null)
    throw new TypeError(`task ${name}: payload must be a schema, such as Type.Object({})`)
  return { name, payload, limits: toLimits(name, given) }
}

/** Declares the handler of a task. */
export function handleTask<Payload>(
  type: TaskType<Payload>,
  handle: (task: Task<Payload>, context: TaskContext) => Promise<void>,
): TaskHandler {
  return { type, handle: handle as TaskHandler['handle'] }
}

/** Throws unless a value is a handler of a declared task. */
export function checkTaskHandler(handler: TaskHandler): void {
  const { type, handle } = handler as { readonly type?: Partial<TaskType>; readonly handle?: unknown }
  if (typeof type?.name !== 'string' || type.limits === undefined)
    throw new TypeError('a handler needs a task declared by defineTask')
  if (typeof handle !== 'function') throw new TypeError(`task ${type.name}: its handler must be a function`)
}

const minute = 60_000
const day = 24 * 60 * minute

const defaults: TaskLimits = {
  maxAttempts: 10,
  deadlineMs: minute,
  backoff: { minMs: 1_000, maxMs: 10 * minute },
  concurrency: 20,
  perNamespace: 10,
  maxQueued: 10_000,
  maxPayloadBytes: 65_536,
  keepDoneMs: day,
  keepDeadMs: 30 * day,
}

type NumberLimit = Exclude<keyof TaskLimits, 'backoff'>

const bounds: Readonly<Record<NumberLimit, readonly [least: number, most: number]>> = {
  maxAttempts: [1, 1_000],
  deadlineMs: [1, day],
  concurrency: [1, 1_000],
  perNamespace: [1, 1_000],
  maxQueued: [1, 1_000_000],
  maxPayloadBytes: [2, 1_048_576],
  keepDoneMs: [0, 365 * day],
  keepDeadMs: [0, 365 * day],
}

function toLimits(task: string, given: Partial<TaskLimits>): TaskLimits {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`task ${task}: ${name} is not a limit of a task`)
  const { concurrency = defaults.concurrency } = given
  const limits = { ...defaults, perNamespace: Math.ceil(concurrency / 2), ...given }
  for (const [name, [least, most]] of Object.entries(bounds) as [NumberLimit, readonly [number, number]][])
    checkWhole(`task ${task}: ${name}`, limits[name], least, most)
  const { minMs, maxMs } = limits.backoff
  checkWhole(`task ${task}: backoff.minMs`, minMs, 1, day)
  checkWhole(`task ${task}: backoff.maxMs`, maxMs, minMs, day)
  return limits
}

function checkWhole(field: string, value: unknown, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw new TypeError(`${field} must be a whole number from ${least} to ${most}`)
}
