import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Bus } from './bus.ts'
import type { DurablePlan } from './durable-consumers.ts'
import type { NatsBus } from './nats-bus.ts'
import { StreamDrift } from './nats-streams.ts'

/** Dependencies of the check of an installation's stream. */
export interface KeepStreamsOptions {
  readonly bus: Bus | NatsBus
  /** Durables of all consumers, created with the stream. */
  readonly durables: readonly DurablePlan[]
  /** Whether this installation has published before; on a new one the role `migrate` creates the streams first. */
  readonly published: () => Promise<boolean>
  readonly log: Logger
  readonly everyMs?: number
}

// Interval of the check, which costs one request to JetStream by the leader of the relay.
const EVERY_MS = 5_000

/**
 * Creates the stream again if JetStream has lost it, for example with its disk; stops with the signal. No event is lost: the log in the
 * database is the outbox. The relay publishes unacknowledged events, and the sweeps of consumers find published events that were not
 * handled. Changed settings are left to the role `migrate`.
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
      // NATS or the database is unavailable, which readiness and other log lines report.
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
