import { jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { orMissing, streamName } from './nats-streams.ts'

/**
 * Deletes the stream of domain events with its durables; the role `migrate` creates them again. After a restore the stream has events that
 * the log lacks. `before` runs first, with the epoch of the newest message, or 0.
 */
export async function dropStream<T>(options: NodeConnectionOptions, before: (epoch: number) => Promise<T>): Promise<T> {
  const connection = await connect(options)
  try {
    const manager = await jetstreamManager(connection)
    const done = await before(await newestEpoch(manager))
    await orMissing(() => manager.streams.delete(streamName))
    return done
  } finally {
    await connection.close()
  }
}

async function newestEpoch(manager: JetStreamManager): Promise<number> {
  const stream = await orMissing(() => manager.streams.info(streamName))
  const seq = stream?.state.last_seq ?? 0
  const newest = seq === 0 ? undefined : await orMissing(() => manager.streams.getMessage(streamName, { seq }))
  const sequence = newest?.json<{ sequence?: unknown }>().sequence
  const [, epoch = '0'] = typeof sequence === 'string' ? (/^(\d{6})-\d{20}$/.exec(sequence) ?? []) : []
  return Number(epoch)
}
