import { sleep } from '#core/async/sleep.ts'
import type { RunsTables } from '../store/tables.ts'
import { claimRuns } from '../store/claims.ts'
import { type Claim, leaseSeconds, renewLeases } from '../store/internal/lease.ts'
import { type Drive, drive } from './drive.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { DriveServices } from './drive-services.ts'

const pollMs = 1000
const renewMs = (leaseSeconds * 1000) / 3

/** How much a worker takes on. */
export interface LoopOptions {
  readonly holder: string
  /** Runs that this process drives at once. */
  readonly concurrency: number
  /** Percent of these places that the runs of one namespace may take. */
  readonly namespaceShare: number
}

interface Active extends Drive {
  readonly stop: AbortController
  readonly namespaceUid: string
}

/** Claims runs and drives them until the signal aborts; then lets go, so that others take over at once. */
export async function runLoop(services: DriveServices, options: LoopOptions, signal: AbortSignal): Promise<void> {
  const active = new Map<string, Active>()
  const bell = createBell()
  const wakes = await services.live.onWake((runId) => {
    active.get(runId)?.nudge()
    bell.ring()
  })
  const renewing = renewInBackground(services, options.holder, active, signal)
  try {
    while (!signal.aborted) {
      const claims = await claim(services, options, active)
      for (const taken of claims) {
        const stop = new AbortController()
        const one = drive(services, taken, AbortSignal.any([signal, stop.signal]))
        active.set(taken.runId, { ...one, stop, namespaceUid: taken.namespaceUid })
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void one.done.finally(() => {
          if (active.get(taken.runId)?.stop === stop) active.delete(taken.runId)
          bell.ring()
        })
      }
      // A claim may leave due runs behind: only an empty one says that there are none for the free places.
      if (claims.length === 0) await bell.heard(pollMs, signal)
    }
  } finally {
    await wakes.stop()
    await Promise.all([renewing, ...[...active.values()].map((one) => one.done)])
  }
}

/** A store that is away for a moment ends no worker: the next round asks again. */
async function claim(
  services: DriveServices,
  { holder, concurrency, namespaceShare }: LoopOptions,
  active: ReadonlyMap<string, Active>,
): Promise<readonly Claim[]> {
  const limit = concurrency - active.size
  if (limit <= 0) return []
  const share = Math.max(1, Math.floor((concurrency * namespaceShare) / 100))
  const request = { holder, limit, share, held: placesByNamespace(active) }
  try {
    return await services.store.transact<RunsTables, readonly Claim[]>((tx) => claimRuns(tx.db, request))
  } catch (error) {
    services.log.warn(describeError(error), 'the run queue cannot be read')
    return []
  }
}

function placesByNamespace(active: ReadonlyMap<string, Active>): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const { namespaceUid } of active.values()) places.set(namespaceUid, (places.get(namespaceUid) ?? 0) + 1)
  return places
}

/** Prolongs leases, and looks for cancels whose wake-up was lost. */
async function renewInBackground(
  services: DriveServices,
  holder: string,
  active: ReadonlyMap<string, Drive>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(renewMs, signal)
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
      if (!rung) await sleep(ms, AbortSignal.any([signal, stop.signal]))
      wake = undefined
      rung = false
    },
  }
}
