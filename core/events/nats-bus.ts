import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { Fail } from '#core/http/errors.ts'
import { assertOutsideTransaction } from '#core/telemetry/outside-transaction.ts'
import type { Bus, Subscription } from './bus.ts'
import { startMember } from './nats-member.ts'
import { ensureDurable, ensureStreams, verifyStreams } from './nats-streams.ts'
import type { StreamPlan } from './nats-streams.ts'

/** The bus over NATS, with the two steps of O3. */
export interface NatsBus extends Bus {
  /** The migration step. */
  ensure(plan: StreamPlan): Promise<void>
  /** Refuses (StreamDrift) when JetStream is not as planned. */
  verify(plan: StreamPlan): Promise<void>
}

const publishDeadlineMs = 5_000

/** Connects to NATS and reconnects for ever; `bus_unavailable` when the first connection fails. */
export async function createNatsBus(options: NodeConnectionOptions): Promise<NatsBus> {
  const connection = await connect({
    name: 'mesh',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    pingInterval: 10_000,
    ...options,
  }).catch((cause: unknown) => {
    throw new Fail('bus_unavailable', undefined, { cause })
  })
  const isConnected = followStatus(connection)
  const client = jetstream(connection, { timeout: publishDeadlineMs })
  const members = new Set<Subscription>()
  let manager: Promise<JetStreamManager> | undefined
  const managed = async (): Promise<JetStreamManager> => {
    manager ??= jetstreamManager(connection, { checkAPI: false })
    return manager
  }
  return {
    ensure: async (plan) => ensureStreams(await managed(), plan),
    verify: async (plan) => verifyStreams(await managed(), plan),
    publish: async ({ subject, id, body }) => {
      assertOutsideTransaction('the bus')
      // While there is no connection the client would keep every message in memory (A6).
      if (!isConnected()) throw new Fail('bus_unavailable')
      await client.publish(subject, body, { msgID: id, timeout: publishDeadlineMs })
    },
    consume: async (durable, subjects, handle) => {
      assertOutsideTransaction('the bus')
      const plan = { durable, subjects }
      await ensureDurable(await managed(), plan)
      const member = startMember(client, await managed(), plan, handle)
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
      if (isConnected() && !connection.isClosed()) connection.publish(subject, body)
    },
    listen: async (subject, handle) => listen(connection, subject, handle),
    check: async () => {
      if (!isConnected() || connection.isClosed()) throw new Fail('bus_unavailable', 'NATS is not connected.')
      await connection.flush()
    },
    close: async () => {
      await Promise.all([...members].map((member) => member.stop()))
      await settled(connection)
      await connection.close()
    },
  }
}

// Closing writes to the socket; with a server that has just gone the client lets that error end the process. So ask for an answer
// first: it comes, or the client sees that the server is gone.
async function settled(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return
  const gone = sleep(200, undefined, { ref: false })
  await Promise.race([connection.flush(), gone]).catch(() => undefined)
}

async function listen(
  connection: NatsConnection,
  subject: string,
  handle: (body: Uint8Array, subject: string) => void,
): Promise<Subscription> {
  assertOutsideTransaction('the bus')
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) handle(message.data, message.subject)
    },
  })
  // When this resolves the server knows of the interest: a frame sent from now on is not missed.
  await connection.flush()
  return { stop: async () => subscription.unsubscribe() }
}

function followStatus(connection: NatsConnection): () => boolean {
  let connected = true
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') connected = false
      if (status.type === 'reconnect') connected = true
    }
  })()
  return () => connected
}
