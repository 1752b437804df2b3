import { sleep } from '#core/async/sleep.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../contract/tables.ts'
import type { Launchers } from './connections/choose-launcher.ts'
import type { LauncherClient } from './connections/launcher-client.ts'
import { watchReadiness } from './watch-readiness.ts'
import type { WorkerServices } from './segment/worker-services.ts'

/** A run that needs a launcher. */
interface Searching {
  readonly claim: Claim
  readonly run: SelectedRun
  /** Aborts when the worker stops, or loses the run. */
  readonly signal: AbortSignal
  readonly cancelled: AbortSignal
}

/** A launcher, or the reason why the agent will never have one. Neither is set if none was ready in time, or the run was cancelled meanwhile. */
interface FoundLauncher {
  readonly launcher?: LauncherClient | undefined
  readonly never?: string | undefined
}

/** Finds the launcher that has the segment, or waits for a ready one while waiting can help. */
export async function findLauncher(
  services: WorkerServices,
  launchers: Launchers,
  searching: Searching,
): Promise<FoundLauncher> {
  const { claim, run, signal } = searching
  if (run.started && claim.launcher?.segment === run.segment) return { launcher: launchers.at(claim.launcher) }
  if (signal.aborted) return {}
  const launcher = await launchers.next()
  // The usual case needs no read of the agent.
  return launcher ? { launcher } : waitForLauncher(services, launchers, searching)
}

async function waitForLauncher(
  services: WorkerServices,
  launchers: Launchers,
  { claim, run, signal, cancelled }: Searching,
): Promise<FoundLauncher> {
  const deadline = performance.now() + services.unreachableAfterMs
  // A started segment must be reached to be stopped, even if its run is cancelled.
  const isOver = (): boolean => (cancelled.aborted && !run.started) || performance.now() > deadline
  const watch = watchReadiness(services, { claim, run }, signal)
  const waiting = AbortSignal.any([signal, watch.refused])
  try {
    for (let waitMs = 50; !isOver() && !waiting.aborted; waitMs = Math.min(waitMs * 2, 1000)) {
      await sleep(waitMs, waiting)
      const launcher = signal.aborted ? undefined : await launchers.next()
      if (launcher) return { launcher }
    }
    return { never: watch.never() }
  } finally {
    // Its writes precede the next change of the run.
    await watch.stop()
  }
}
