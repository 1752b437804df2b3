import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import { StreamDrift } from '#core/messaging/bus/nats-streams.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { MigrationsMissing } from '#core/database/migrate.ts'

/** What is waited for, for the reader of the log. */
export interface Waiting {
  readonly what: string
  readonly log: Logger
  readonly signal: AbortSignal
}

const pauses = { minMs: 100, maxMs: 5_000 }

/** Tries until it succeeds, with jittered pauses, while what is missing may still come; an error of any other kind is thrown. */
export async function until<T>({ what, log, signal }: Waiting, attempt: () => Promise<T>): Promise<T> {
  let told: string | undefined
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    try {
      const result = await attempt()
      if (told !== undefined) log.info({}, `${what} is there`)
      return result
    } catch (error) {
      if (!mayCome(error)) throw error
      // One line for each change of what is in the way, none for each try.
      const kind = error instanceof Fail ? error.code : error.name
      if (kind !== told) log.warn({ reason: error.message }, `waiting for ${what}`)
      told = kind
    }
    await sleep(backoffMs(failures, pauses), signal, { ref: false })
  }
}

/** Whether an error says that something is not there yet, and not that it is wrong. */
export function mayCome(error: unknown): error is Error {
  if (error instanceof Fail) return error.code === 'store_unavailable' || error.code === 'bus_unavailable'
  return error instanceof MigrationsMissing || (error instanceof StreamDrift && error.onlyMissing)
}
