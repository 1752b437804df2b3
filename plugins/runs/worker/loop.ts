import type { RunsTables } from '../store/tables.ts'
import { claimRuns, leaseSeconds, renewLeases } from '../store/system.ts'
import { type Drive, drive } from './drive.ts'
import { describeError } from './describe-error.ts'
import type { DriveServices } from './drive-services.ts'
import { pause } from './pause.ts'

const pollMs = 1000
const renewMs = (leaseSeconds * 1000) / 3

/** How much a worker takes on. */
export interface LoopOptions {
  readonly holder: string
  /** Runs that this process drives at once. */
  readonly concurrency: number
}

/** Claims runs and drives them until the signal aborts; then lets go, so that others take over at once. */
export async function runLoop(services: DriveServices, options: LoopOptions, signal: AbortSignal): Promise<void> {
  const active = new Map<string, Drive & { readonly stop: AbortController }>()
  const bell = createBell()
  const wakes = await services.live.onWake((runId) => {
    active.get(runId)?.nudge()
    bell.ring()
  })
  const renewing = renewInBackground(services, options.holder, active, signal)
  try {
    while (!signal.aborted) {
      const free = options.concurrency - active.size
      const claims = free > 0 ? await claim(services, options.holder, free) : []
      for (const taken of claims) {
        const stop = new AbortController()
        const one = drive(services, taken, AbortSignal.any([signal, stop.signal]))
        active.set(taken.runId, { ...one, stop })
        void one.done.finally(() => {
          if (active.get(taken.runId)?.stop === stop) active.delete(taken.runId)
          bell.ring()
        })
      }
      await bell.heard(pollMs, signal)
    }
  } finally {
    await wakes.stop()
    await Promise.all([renewing, ...[...active.values()].map((one) => one.done)])
  }
}

/** A store that is away for a moment ends no worker: the next round asks again. */
async function claim(services: DriveServices, holder: string, limit: number) {
  try {
    return await services.store.transact<RunsTables, Awaited<ReturnType<typeof claimRuns>>>((tx) =>
      claimRuns(tx.db, holder, limit),
    )
  } catch (error) {
    services.log.warn(describeError(error), 'the run queue cannot be read')
    return []
  }
}

/** Prolongs leases, and looks for cancels whose wake-up was lost. */
async function renewInBackground(
  services: DriveServices,
  holder: string,
  active: ReadonlyMap<string, Drive>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(renewMs, signal)
    if (signal.aborted || active.size === 0) continue
    // A lease that was not renewed is found out by its epoch at the next write.
    await services.store.transact<RunsTables, unknown>((tx) => renewLeases(tx.db, holder)).catch(() => undefined)
    for (const one of active.values()) one.nudge()
  }
}

/** Lets the loop sleep until somebody rings, at most for a while. */
function createBell() {
  let wake: (() => void) | undefined
  let rung = false
  return {
    ring(): void {
      rung = true
      wake?.()
    },
    async heard(ms: number, signal: AbortSignal): Promise<void> {
      const stop = new AbortController()
      wake = () => stop.abort()
      if (!rung) await pause(ms, AbortSignal.any([signal, stop.signal]))
      wake = undefined
      rung = false
    },
  }
}
