import { jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { orMissing, streamName } from './nats-streams.ts'

/**
 * Removes the stream of domain events with its durables, which the migration step makes anew: after a restore it holds events that the
 * log does not have. `before` is done first and given the epoch of the newest message, 0 when there is none.
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
