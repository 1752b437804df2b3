import type { Bus } from '#core/messaging/bus/bus.ts'
import { planOf } from '#core/messaging/bus/durable-consumers.ts'
import type { NatsBus } from '#core/messaging/bus/nats-bus.ts'
import { StreamDrift } from '#core/messaging/bus/nats-streams.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'

/** State of the streams as the consumers of a role found it. */
export interface StreamState {
  drift: Error | undefined
}

/** Creates the streams and durable consumers that an installation needs. */
export async function ensureStreams(bus: Bus | NatsBus, consumers: readonly Consumer[]): Promise<void> {
  if ('ensure' in bus) await bus.ensure({ durables: planOf(consumers) })
}

/** Throws if the bus does not respond, has lost its streams, or has other streams than the consumers need. */
export async function checkBus(bus: Bus | NatsBus, streams: StreamState): Promise<void> {
  await bus.check()
  // A server that responds may have lost its store (PODA14).
  if ('verify' in bus) await bus.verify({ durables: [] })
  if (streams.drift !== undefined) throw streams.drift
}

/** Returns how the streams differ from what the consumers need. */
export async function driftOf(bus: Bus | NatsBus, consumers: readonly Consumer[]): Promise<StreamDrift | undefined> {
  try {
    if ('verify' in bus) await bus.verify({ durables: planOf(consumers) })
    return undefined
  } catch (error) {
    if (error instanceof StreamDrift) return error
    throw error
  }
}
