import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Bus } from './bus.ts'
import type { DurablePlan } from './durable-consumers.ts'
import type { NatsBus } from './nats-bus.ts'
import { StreamDrift } from './nats-streams.ts'

/** What keeps the stream of an install in place. */
export interface KeepStreamsOptions {
  readonly bus: Bus | NatsBus
  /** Of every consumer of the install: made with the stream. */
  readonly durables: readonly DurablePlan[]
  /** Whether this install has published before: on a new one the role `migrate` makes the streams first. */
  readonly published: () => Promise<boolean>
  readonly log: Logger
  readonly everyMs?: number
}

// One request to JetStream in this time, by the one leader of the relay.
const EVERY_MS = 5_000

/**
 * Makes the stream again when JetStream has lost it, for example with its disk; ends with the signal. Nothing is lost: the log in the
 * database is the outbox, so the relay publishes what is not acknowledged, and the sweeps of the
 * consumers find in the log what was published and not handled. Differing settings are left for the role `migrate`.
 */
export async function keepStreams(options: KeepStreamsOptions, signal: AbortSignal): Promise<void> {
  const { bus, durables, published, log, everyMs = EVERY_MS } = options
  if (!('verify' in bus)) return
  while (!signal.aborted) {
    try {
      if ((await isStreamMissing(bus)) && (await published())) {
        await bus.ensure({ durables })
        log.warn({}, 'JetStream stream was missing, created again')
      }
    } catch (error) {
      // NATS or the database is away: readiness and their own lines in the log report it.
      log.debug({ reason: error instanceof Error ? error.name : 'unknown' }, 'JetStream stream not checked')
    }
    await sleep(everyMs, signal)
  }
}

async function isStreamMissing(bus: NatsBus): Promise<boolean> {
  try {
    await bus.verify({ durables: [] })
    return false
  } catch (error) {
    if (error instanceof StreamDrift) return error.onlyMissing
    throw error
  }
}
