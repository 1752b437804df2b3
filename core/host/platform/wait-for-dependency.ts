import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import { StreamDrift } from '#core/messaging/bus/nats-streams.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { MigrationsMissing } from '#core/database/migrate.ts'
import { ProjectionsOutdated } from '#core/event-store/projection-versions.ts'

/** Name of the dependency, as it appears in log messages. */
export interface WaitOptions {
  readonly what: string
  readonly log: Logger
  readonly signal: AbortSignal
}

const pauses = { minMs: 100, maxMs: 5_000 }

/** Retries with jittered pauses until it succeeds, while the dependency may still become available. Any other error is thrown. */
export async function until<T>({ what, log, signal }: WaitOptions, attempt: () => Promise<T>): Promise<T> {
  let reported: string | undefined
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    try {
      const result = await attempt()
      if (reported !== undefined) log.info({}, `${what} is available`)
      return result
    } catch (error) {
      if (!mayCome(error)) throw error
      // Logs one line per change of the reason, none per attempt.
      const kind = error instanceof Fail ? error.code : error.name
      if (kind !== reported) log.warn({ reason: error.message }, `waiting for ${what}`)
      reported = kind
    }
    await sleep(backoffMs(failures, pauses), signal, { ref: false })
  }
}

/** Whether an error means that something is not available yet, rather than wrong. */
export function mayCome(error: unknown): error is Error {
  if (error instanceof Fail) return error.code === 'store_unavailable' || error.code === 'bus_unavailable'
  if (error instanceof ProjectionsOutdated) return true
  return error instanceof MigrationsMissing || (error instanceof StreamDrift && error.onlyMissing)
}
