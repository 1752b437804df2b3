import { jetstream, jetstreamManager, JetStreamApiError } from '@nats-io/jetstream'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { Fail } from '#core/errors/domain-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import type { Bus, Subscription } from './bus.ts'
import { deliverFrame } from './deliver-frame.ts'
import type { FrameHandler } from './deliver-frame.ts'
import { BusRefused, openNatsLink } from './nats-connection.ts'
import { startMember } from './nats-pull-consumer.ts'
import { ensureDurable, ensureNatsStreams, StreamDrift, verifyStreams } from './nats-streams.ts'
import type { StreamPlan } from './nats-streams.ts'

/** The bus over NATS, with the two operations of O3. */
export interface NatsBus extends Bus {
  /** Creates stream and consumers (role `migrate`). */
  ensure(plan: StreamPlan): Promise<void>
  /** Throws `StreamDrift` unless JetStream matches the plan. */
  verify(plan: StreamPlan): Promise<void>
}

const publishDeadlineMs = 5_000

/** Connects to NATS, now or once it is reachable, and reconnects indefinitely. Until then every call throws `bus_unavailable`. */
export async function createNatsBus(options: NodeConnectionOptions, log?: Logger, setting?: string): Promise<NatsBus> {
  const link = await openNatsLink(options, { log, ...(setting === undefined ? {} : { setting }) })
  const members = new Set<Subscription>()
  let streams: Promise<Streams> | undefined
  const open = async (): Promise<Streams> => {
    const connection = link.connection()
    return (streams ??= openStreams(connection))
  }
  return {
    ensure: (plan) => reached(async () => ensureNatsStreams((await open()).manager, plan)),
    verify: (plan) => reached(async () => verifyStreams((await open()).manager, plan)),
    publish: async ({ subject, id, body }) => {
      assertOutsideTransaction('the bus')
      // Without a connection the client would buffer every message in memory (A6).
      const { client } = await open()
      await client.publish(subject, body, { msgID: id, timeout: publishDeadlineMs })
    },
    consume: async (durable, subjects, handle) => {
      assertOutsideTransaction('the bus')
      const plan = { durable, subjects }
      const { client, manager } = await open()
      await reached(() => ensureDurable(manager, plan))
      const member = startMember(client, manager, plan, handle)
      members.add(member)
      return {
        stop: async () => {
          members.delete(member)
          await member.stop()
        },
      }
    },
    emit: (subject, body) => {
      assertOutsideTransaction('the bus')
      tryNow(() => link.connection())?.publish(subject, body)
    },
    listen: async (subject, handle) => {
      assertOutsideTransaction('the bus')
      return forRequest(() => listen(link.connection(), subject, (body, on) => deliverFrame(handle, body, on, log)))
    },
    check: () => reached(async () => link.connection().flush()),
    close: async () => {
      await Promise.all([...members].map((member) => member.stop()))
      await link.close()
    },
  }
}

interface Streams {
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
}

async function openStreams(connection: NatsConnection): Promise<Streams> {
  return {
    client: jetstream(connection, { timeout: publishDeadlineMs }),
    manager: await jetstreamManager(connection, { checkAPI: false }),
  }
}

// Just after startup NATS accepts connections before JetStream responds; such a response is not drift.
async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const answered = error instanceof StreamDrift || (error instanceof JetStreamApiError && error.status < 500)
    if (answered || error instanceof Fail || error instanceof BusRefused) throw error
    throw new Fail('bus_unavailable', 'NATS does not respond.', { cause: error })
  }
}

// PODA20: the connection may break between the check and its use, and the client's own errors would be unexpected. Callers of the API do
// not learn the address of NATS.
async function forRequest<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new Fail('bus_unavailable', undefined, { cause: error })
  }
}

// Drops a live frame that cannot be sent now, as the contract allows.
function tryNow<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

async function listen(connection: NatsConnection, subject: string, handle: FrameHandler): Promise<Subscription> {
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) handle(message.data, message.subject)
    },
  })
  // After this the server knows the subscription, so no later frame is missed.
  await connection.flush()
  return { stop: async () => subscription.unsubscribe() }
}
