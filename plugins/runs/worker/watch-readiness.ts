import { sleep } from '#core/async/sleep.ts'
import { describeError } from '#core/log/describe-error.ts'
import { neverMessage, waitMessage } from '../launchers/wait-message.ts'
import { decideWaiting } from '../lifecycle/decide.ts'
import { LeaseLost, workerAuthor } from '../lifecycle/run-writer.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../contract/tables.ts'
import type { WorkerServices } from './segment/worker-services.ts'

/** The observation of an agent without a ready pod. */
interface ReadinessWatch {
  /** Aborts when waiting cannot help. */
  readonly refused: AbortSignal
  /** Why waiting cannot help. */
  never(): string | undefined
  /** Ends the observation; resolves after its last write. Never rejects. */
  stop(): Promise<void>
}

interface Waiting {
  readonly claim: Claim
  readonly run: SelectedRun
}

/** A run that starts within this time has no entry about its wait. */
const shownAfterMs = 2_000
const longestPauseMs = 5_000

/**
 * Asks the state role immediately and then every few seconds why an agent is not ready. Each new reason becomes an entry of the journal, so that
 * streams replay it and no worker repeats it. A state role that does not respond delays nothing.
 */
export function watchReadiness(services: WorkerServices, waiting: Waiting, signal: AbortSignal): ReadinessWatch {
  const ended = new AbortController()
  const refused = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  let never: string | undefined
  const watch = async (): Promise<void> => {
    const since = performance.now()
    const { shownAfterMs: after = shownAfterMs } = services
    for (let pauseMs = after; !either.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const readiness = await services.readiness(waiting.run, waiting.claim.epoch, either).catch(() => undefined)
      if (readiness?.outcome === 'never') {
        never = neverMessage(waiting.run, readiness.reason)
        return refused.abort()
      }
      const isShown = performance.now() - since >= after
      if (isShown && !either.aborted) await tellWaiting(services, waiting, readiness?.reason ?? 'NoReadyPod')
      await sleep(pauseMs, either)
    }
  }
  const done = watch().catch((error: unknown) => {
    // The next write of the execution fails the same way and handles the error.
    if (error instanceof LeaseLost) return
    services.log.warn({ runId: waiting.run.id, ...describeError(error) }, 'recording why a run waits failed')
  })
  return {
    refused: refused.signal,
    never: () => never,
    stop: async () => {
      ended.abort()
      await done
    },
  }
}

async function tellWaiting(services: WorkerServices, { claim, run }: Waiting, reason: string): Promise<void> {
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    facts: decideWaiting(facts, reason),
    content: { waiting: { message: waitMessage(run, reason) } },
  }))
}
