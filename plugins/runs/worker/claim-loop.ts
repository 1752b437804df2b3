import { sleep } from '#core/async/sleep.ts'
import { createSignal } from '#core/async/signal.ts'
import type { RunsTables } from '../contract/tables.ts'
import { claimRuns } from '../store/claims.ts'
import type { ClaimedRuns } from '../store/claims.ts'
import { readNextDue } from '../store/queue.ts'
import { leaseSeconds, renewLeases } from '../store/internal/lease.ts'
import type { Claim } from '../store/internal/lease.ts'
import { executeRun } from './execute-run.ts'
import type { Execution } from './execute-run.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { WorkerServices } from './segment/worker-services.ts'

// Signals may be lost.
const pollMs = 5_000
const retryMs = 1_000
// When a run that this worker released is due, other workers claim first: one of them may succeed where this worker failed.
const yieldMs = 500
const renewMs = (leaseSeconds * 1000) / 3

/** Identity and capacity of a worker. */
export interface LoopOptions {
  readonly holder: string
  /** Runs that this process executes concurrently. */
  readonly concurrency: number
  /** Percentage of this capacity that the runs of one namespace may use. */
  readonly namespaceShare: number
}

interface Active extends Execution {
  readonly stop: AbortController
  readonly namespaceUid: string
}

/** Claims runs and executes them until the signal aborts, then releases the leases so that other workers take over immediately. */
export async function runLoop(services: WorkerServices, options: LoopOptions, signal: AbortSignal): Promise<void> {
  const active = new Map<string, Active>()
  const signalled = createSignal()
  const released = new Set<string>()
  const wakes = await services.live.onWake((runId) => {
    active.get(runId)?.nudge()
    if (released.delete(runId)) setTimeout(signalled.notify, yieldMs).unref()
    else signalled.notify()
  })
  const renewing = renewInBackground(services, options.holder, active, signal)
  const execute = async (taken: Claim): Promise<void> => {
    const stop = new AbortController()
    const one = executeRun(services, taken, AbortSignal.any([signal, stop.signal]))
    active.set(taken.runId, { ...one, stop, namespaceUid: taken.namespaceUid })
    const dueInMs = await one.done
    if (isFull(options, active, taken.namespaceUid)) signalled.notify()
    if (active.get(taken.runId)?.stop === stop) active.delete(taken.runId)
    if (dueInMs === 0) services.live.wake(taken.runId)
    if (dueInMs === undefined || dueInMs === 0) return
    released.add(taken.runId)
    setTimeout(() => services.live.wake(taken.runId), dueInMs).unref()
  }
  try {
    for (let waitMs = pollMs; !signal.aborted;) {
      const { claims, more } = await claim(services, options, active, signal)
      for (const taken of claims) {
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void execute(taken)
      }
      if (more && active.size < options.concurrency) continue
      const since = performance.now()
      await signalled.wait(waitMs, signal)
      if (performance.now() - since >= waitMs) waitMs = await untilNextDue(services)
    }
  } finally {
    await wakes.stop()
    await Promise.all([renewing, ...[...active.values()].map((one) => one.done)])
  }
}

/** Whether due runs of a namespace may wait for the end of one of its runs in this worker. */
function isFull(options: LoopOptions, active: ReadonlyMap<string, Active>, namespaceUid: string): boolean {
  return active.size >= options.concurrency || (runsByNamespace(active).get(namespaceUid) ?? 0) >= shareOf(options)
}

/** Milliseconds until the queue is read without a signal. Leases of other workers expire without one. */
async function untilNextDue({ store }: WorkerServices): Promise<number> {
  const dueInMs = await readNextDue(store.reader<RunsTables>()).catch(() => undefined)
  return Math.min(Math.ceil(dueInMs ?? pollMs), pollMs)
}

/** Claims as many runs as there is capacity for. A failed query returns none and is retried in the next round. */
async function claim(
  services: WorkerServices,
  options: LoopOptions,
  active: ReadonlyMap<string, Active>,
  signal: AbortSignal,
): Promise<ClaimedRuns> {
  const { holder, concurrency } = options
  const limit = concurrency - active.size
  if (limit <= 0) return none
  const request = { holder, limit, share: shareOf(options), held: runsByNamespace(active) }
  try {
    return await services.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), request))
  } catch (error) {
    services.log.warn(describeError(error), 'reading the run queue failed, retrying')
    await sleep(retryMs, signal)
    return { ...none, more: true }
  }
}

const none: ClaimedRuns = { claims: [], more: false }

/** Runs of one namespace that this process executes concurrently. */
function shareOf({ concurrency, namespaceShare }: LoopOptions): number {
  return Math.max(1, Math.floor((concurrency * namespaceShare) / 100))
}

function runsByNamespace(active: ReadonlyMap<string, Active>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { namespaceUid } of active.values()) counts.set(namespaceUid, (counts.get(namespaceUid) ?? 0) + 1)
  return counts
}

/** Renews leases, and checks for cancel requests whose notification was lost. */
async function renewInBackground(
  services: WorkerServices,
  holder: string,
  active: ReadonlyMap<string, Execution>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(renewMs, signal)
    if (signal.aborted || active.size === 0) continue
    // A lease that was not renewed is detected by its epoch at the next write.
    await services.store.transact((tx) => renewLeases(tx.tables<RunsTables>(), holder)).catch(() => undefined)
    for (const one of active.values()) one.nudge()
  }
}
