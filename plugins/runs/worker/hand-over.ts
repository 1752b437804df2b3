import type { FailReason, InvokeRequest } from '#schemas/run.ts'
import type { DriveServices } from './drive-services.ts'
import { type Answering, type LauncherClient, LauncherRefused } from './launcher-client.ts'
import { pause } from './pause.ts'

/** How a run gets to its agent. */
export interface Handing {
  readonly first: LauncherClient
  readonly find: () => Promise<LauncherClient | undefined>
  readonly cancelled: AbortSignal
}

/** The launcher that took the run. */
export interface Taken {
  readonly launcher: LauncherClient
  readonly answering: Answering
}

/** The agent is busy with other runs, and no launcher can have this one. */
export interface Busy {
  readonly busy: { readonly runTimeoutMs: number | undefined }
}

/**
 * Hands the run over; the launcher that took it, that it is busy, or the reason of failure. Retrying is safe: the run id is the
 * idempotency key of one launcher. In a rollout its address goes away, so it is asked anew, but only as long as no launcher can
 * have the run: after a silence another one would be a second invocation (O6).
 */
export async function handOver(
  { first, find, cancelled }: Handing,
  request: InvokeRequest,
  { unreachableAfterMs: patienceMs, busyPatienceMs }: Pick<DriveServices, 'unreachableAfterMs' | 'busyPatienceMs'>,
): Promise<Taken | Busy | FailReason> {
  let deadline = performance.now() + patienceMs
  let busyUntil: number | undefined
  let launcher = first
  let mayHaveIt = false
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1000)) {
    try {
      return { launcher, answering: await launcher.invoke(request) }
    } catch (error) {
      const refused = error instanceof LauncherRefused ? error : undefined
      if (refused && refused.status !== 429 && refused.status !== 503) return 'agent_error'
      mayHaveIt ||= !refused && !isUnconnected(error)
      if (refused?.status === 429 && !mayHaveIt) {
        busyUntil ??= performance.now() + busyPatienceMs
        deadline = performance.now() + patienceMs // it answers
        if (performance.now() > busyUntil) return { busy: refused }
      }
      if (performance.now() > deadline) return 'agent_unreachable'
      // Cancelled while it waits for a place: it never gets one. Where it may have begun, it is handed over to be stopped.
      if (!mayHaveIt) await pause(waitMs, cancelled)
      else await pause(waitMs)
      if (cancelled.aborted && !mayHaveIt) return 'agent_unreachable'
      if (!mayHaveIt) launcher = (await find()) ?? launcher
    }
  }
}

// Nobody listened: the request was never sent.
function isUnconnected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND')
}
