import { randomUUID } from 'node:crypto'
import type { Signal } from '#core/async/signal.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Database } from '#core/database/database.ts'
import type { RunningBackgroundWork } from '#core/jobs/background-work.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { claimTasks } from './claim-tasks.ts'
import type { TaskClaim, TaskClaimRequest, TaskClaims } from './claim-tasks.ts'
import { LEASE_MS, renewTaskLeases } from './task-lease.ts'
import { taskMetrics } from './metrics.ts'
import { runAttempt } from './run-attempt.ts'
import type { AttemptResult } from './run-attempt.ts'
import type { Settlement } from './settle-tasks.ts'
import { createSettler } from './batch-settlements.ts'
import type { Settler } from './batch-settlements.ts'
import type { TaskHandler } from './task.ts'

/** Dependencies of running tasks. */
export interface RunTasksOptions {
  readonly database: Database
  readonly handlers: readonly TaskHandler[]
  readonly log: Logger
  readonly metrics?: Metrics | undefined
  readonly tracer?: Tracer | undefined
  readonly signal: AbortSignal
  /** Longest time between two polls of the queue; default five seconds. Notifications and due times end it earlier. */
  readonly pollMs?: number
  /** Time for running tasks to end after the signal, before their own signals abort; default three seconds. */
  readonly drainMs?: number
  readonly abandonMs?: number
  /** Default 30 seconds. */
  readonly leaseMs?: number
}

interface Active {
  readonly claim: TaskClaim
  readonly lost: AbortController
  /** Monotonic time until which the lease holds. */
  heldUntil: number
}

// Two renewals in a row may fail within a lease.
const renewalsPerLease = 4
const guardMs = 500
// Notifications may be lost, and leases of killed workers expire without one.
const safetyMs = 5_000
const retryMs = 1_000

/**
 * Claims tasks of the handlers' types and runs them until the signal aborts. Tasks that do not end within `drainMs` after it are released, so
 * that other workers run them at once.
 */
export function runTasks(options: RunTasksOptions): RunningBackgroundWork {
  return { done: options.handlers.length === 0 ? Promise.resolve() : new TaskRunner(options).run() }
}

class TaskRunner {
  readonly #options: RunTasksOptions
  readonly #handlers: ReadonlyMap<string, TaskHandler>
  readonly #holder = randomUUID()
  readonly #active = new Map<string, Active>()
  readonly #ended: Set<Promise<void>> = new Set()
  readonly #halt = new AbortController()
  readonly #leaseMs: number
  readonly #settler: Settler
  readonly #wake: Signal
  #guarding: NodeJS.Timeout | undefined

  constructor(options: RunTasksOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#handlers = new Map(options.handlers.map((handler) => [handler.type.name, handler]))
    this.#wake = options.database.enqueued.subscribe()
    this.#settler = createSettler({ ...options, halt: this.#halt.signal })
  }

  async run(): Promise<void> {
    const { database, signal, pollMs = safetyMs, drainMs = 3_000 } = this.#options
    const listening = database.listen('enqueued')
    const stopped = new AbortController()
    const renewing = this.#keepLeases(stopped.signal)
    try {
      while (!signal.aborted) {
        const { claims, dueInMs } = await this.#claim()
        for (const claim of claims) this.#start(claim)
        // A claim may return fewer tasks than are due; only an empty one means that none is due.
        if (claims.length === 0)
          await this.#wake.wait(Math.min(pollMs, Math.max(0, Math.ceil(dueInMs ?? pollMs))), signal)
      }
      await Promise.race([this.#idle(), sleep(drainMs, undefined, { ref: false })])
    } finally {
      this.#halt.abort()
      await this.#idle()
      stopped.abort()
      await Promise.all([renewing, listening.stop()])
    }
  }

  async #idle(): Promise<void> {
    while (this.#ended.size > 0) await Promise.all(this.#ended)
  }

  async #claim(): Promise<TaskClaims> {
    const request = this.#request()
    if (request.capacities.length === 0) return { claims: [], dueInMs: undefined }
    try {
      return await claimTasks(this.#options.database.root, request)
    } catch (error) {
      this.#options.log.warn(describeError(error), 'reading the task queue failed, retrying')
      return { claims: [], dueInMs: retryMs }
    }
  }

  #request(): TaskClaimRequest {
    const held = new Map<string, { type: string; namespace: string; count: number }>()
    const used = new Map<string, number>()
    for (const { claim } of this.#active.values()) {
      const { type, namespace } = claim
      const one = held.get(`${type}/${namespace}`) ?? { type, namespace, count: 0 }
      held.set(`${type}/${namespace}`, { ...one, count: one.count + 1 })
      used.set(type, (used.get(type) ?? 0) + 1)
    }
    const capacities = [...this.#handlers.values()].map(({ type: { name, limits } }) => ({
      type: name,
      free: limits.concurrency - (used.get(name) ?? 0),
      perNamespace: limits.perNamespace,
    }))
    return {
      holder: this.#holder,
      leaseMs: this.#leaseMs,
      capacities: capacities.filter(({ free }) => free > 0),
      held: [...held.values()],
    }
  }

  #start(claim: TaskClaim): void {
    const one: Active = { claim, lost: new AbortController(), heldUntil: performance.now() + this.#leaseMs }
    this.#active.set(claim.id, one)
    this.#guard()
    this.#options.metrics?.histogram(taskMetrics.delaySeconds).observe(claim.waitedSeconds, { task: claim.type })
    const ended = this.#attempt(one).finally(() => {
      if (this.#active.get(claim.id) === one) this.#active.delete(claim.id)
      this.#ended.delete(ended)
      this.#wake.notify()
    })
    this.#ended.add(ended)
  }

  async #attempt({ claim, lost }: Active): Promise<void> {
    const handler = this.#handlers.get(claim.type)
    if (handler === undefined) return
    const { log, tracer, metrics, abandonMs } = this.#options
    const task = claim.type
    const started = performance.now()
    const running = metrics?.gauge(taskMetrics.running)
    running?.add(1, { task })
    const options = { log, tracer, halt: this.#halt.signal, ...(abandonMs === undefined ? {} : { abandonMs }) }
    try {
      const result = await runAttempt(handler, claim, lost.signal, options)
      const seconds = (performance.now() - started) / 1_000
      const outcome = await this.#settle(result)
      metrics?.histogram(taskMetrics.attemptSeconds).observe(seconds, { task, outcome })
      if (outcome === 'dead') log.error({ task, id: claim.id, attempts: claim.attempts }, 'task is dead')
    } catch (error) {
      // The lease expires, and the task is attempted again.
      log.error({ task, id: claim.id, ...describeError(error) }, 'running a task failed')
    } finally {
      running?.add(-1, { task })
    }
  }

  async #settle({ settlement, completed }: AttemptResult): Promise<Settlement['outcome'] | 'lost'> {
    const held = settlement !== undefined && (await this.#settler.settle(settlement))
    if (held) return settlement.outcome
    return completed ? 'done' : 'lost'
  }

  async #keepLeases(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await sleep(this.#leaseMs / renewalsPerLease, stopped, { ref: false })
      if (!stopped.aborted) await this.#renew()
    }
  }

  // Runs beside the renewals, which may hang for as long as a frozen store, and only while tasks run.
  #guard(): void {
    this.#guarding ??= setInterval(() => {
      this.#abortExpired()
      if (this.#active.size > 0) return
      clearInterval(this.#guarding)
      this.#guarding = undefined
    }, guardMs).unref()
  }

  #abortExpired(): void {
    const now = performance.now()
    for (const { heldUntil, lost } of this.#active.values()) if (heldUntil <= now) lost.abort()
  }

  // Measured from before each renewal was sent, so that a pause of this process makes a lease end early, never late.
  async #renew(): Promise<void> {
    const all = [...this.#active.values()]
    if (all.length === 0) return
    const sent = performance.now()
    const leases = all.map(({ claim }) => claim)
    const found = await renewTaskLeases(this.#options.database.root, leases, this.#leaseMs).catch(() => undefined)
    if (found === undefined) return
    for (const one of all) {
      const state = found.get(one.claim.id)
      if (state === 'renewed') one.heldUntil = sent + this.#leaseMs
      if (state === undefined) one.lost.abort()
    }
  }
}
