import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import { sleep } from '#core/async/sleep.ts'
import type { Delivery, Subscription } from './bus.ts'
import { ensureDurable, streamName } from './nats-streams.ts'
import type { DurablePlan } from './durable-consumers.ts'
import { createSignal } from '#core/async/signal.ts'

type Handle = (batch: readonly Delivery[]) => Promise<void>

const maxBatch = 500

/** Pulls from one durable consumer and passes on batches, one at a time, until stopped. */
export function startMember(
  client: JetStreamClient,
  manager: JetStreamManager,
  plan: DurablePlan,
  handle: Handle,
): Subscription {
  const stopped = new AbortController()
  const arrived = createSignal()
  const buffer: JsMsg[] = []
  let messages: ConsumerMessages | undefined
  const pulling = pull()
  const handling = handleBatches()

  // Stream or consumer may be replaced meanwhile (a restore, an operator). The consumer is then created again and pulled from (O7).
  async function pull(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const consumer = await client.consumers.get(streamName, plan.durable)
        messages = await consumer.consume({
          max_messages: maxBatch,
          expires: 10_000,
          abort_on_missing_resource: true,
          callback: (message) => {
            buffer.push(message)
            arrived.notify()
          },
        })
        if (stopped.signal.aborted) await messages.close()
        await messages.closed()
      } catch {
        await ensureDurable(manager, plan).catch(() => undefined)
      }
      if (!stopped.signal.aborted) await sleep(500, stopped.signal)
    }
  }

  async function handleBatches(): Promise<void> {
    while (!stopped.signal.aborted) {
      if (buffer.length === 0) await arrived.wait(60_000, stopped.signal)
      const batch = buffer.splice(0, maxBatch).map(toDelivery)
      if (batch.length === 0 || stopped.signal.aborted) {
        for (const message of batch) message.nak()
        continue
      }
      await handle(batch).catch(() => undefined)
      // Redelivers unacknowledged messages soon, instead of after the whole ack wait.
      for (const message of batch) message.nak(50)
    }
  }

  return {
    stop: async () => {
      stopped.abort()
      await messages?.close()
      await handling
      for (const message of buffer.splice(0)) message.nak()
      await pulling
    },
  }
}

function toDelivery(message: JsMsg): Delivery {
  let settled = false
  const once = (work: () => void): void => {
    if (settled) return
    settled = true
    try {
      work()
    } catch {
      // The connection is closed; JetStream redelivers after its ack wait.
    }
  }
  return {
    subject: message.subject,
    id: message.headers?.get('Nats-Msg-Id') ?? '',
    body: message.data,
    redelivered: message.redelivered,
    ack: () => once(() => message.ack()),
    nak: (delayMs) => once(() => message.nak(delayMs)),
  }
}
