import { sleep } from '#core/async/sleep.ts'
import { createSignal } from '#core/async/signal.ts'
import type { RunsTables } from '../store/tables.ts'
import { claimRuns } from '../store/claims.ts'
import { leaseSeconds, renewLeases } from '../store/internal/lease.ts'
import type { Claim } from '../store/internal/lease.ts'
import { executeRun } from './execute-run.ts'
import type { Execution } from './execute-run.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { WorkerServices } from './worker-services.ts'

const pollMs = 1000
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
  const wakes = await services.live.onWake((runId) => {
    active.get(runId)?.nudge()
    signalled.notify()
  })
  const renewing = renewInBackground(services, options.holder, active, signal)
  try {
    while (!signal.aborted) {
      const claims = await claim(services, options, active)
      for (const taken of claims) {
        const stop = new AbortController()
        const one = executeRun(services, taken, AbortSignal.any([signal, stop.signal]))
        active.set(taken.runId, { ...one, stop, namespaceUid: taken.namespaceUid })
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void one.done.finally(() => {
          if (active.get(taken.runId)?.stop === stop) active.delete(taken.runId)
          signalled.notify()
        })
      }
      // A claim may return fewer runs than are due; only an empty claim means that none is due.
      if (claims.length === 0) await signalled.wait(pollMs, signal)
    }
  } finally {
    await wakes.stop()
    await Promise.all([renewing, ...[...active.values()].map((one) => one.done)])
  }
}

/** Claims as many runs as there is capacity for. A failed query returns none and is retried in the next round. */
async function claim(
  services: WorkerServices,
  { holder, concurrency, namespaceShare }: LoopOptions,
  active: ReadonlyMap<string, Active>,
): Promise<readonly Claim[]> {
  const limit = concurrency - active.size
  if (limit <= 0) return []
  const share = Math.max(1, Math.floor((concurrency * namespaceShare) / 100))
  const request = { holder, limit, share, held: runsByNamespace(active) }
  try {
    return await services.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), request))
  } catch (error) {
    services.log.warn(describeError(error), 'reading the run queue failed, retrying')
    return []
  }
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
