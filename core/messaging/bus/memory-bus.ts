import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Bus, Subscription } from './bus.ts'
import { deliverFrame } from './deliver-frame.ts'
import type { FrameHandler } from './deliver-frame.ts'
import { MemoryQueue } from './memory-queue.ts'
import type { QueueLimits } from './memory-queue.ts'
import { matches } from '../wire/subjects.ts'

const defaults: QueueLimits = { ackWaitMs: 30_000, maxWaiting: 10_000, maxBatch: 500 }

interface Listener {
  readonly filter: string
  readonly handle: FrameHandler
}

/** The bus inside one process (`all`): the contract of the NATS adapter without persistence. Sweeps recover what a restart loses. */
export function createMemoryBus(limits: Partial<QueueLimits> = {}, log?: Logger): Bus {
  const queues = new Map<string, MemoryQueue>()
  const listeners = new Set<Listener>()
  let closed = false
  const requireOpen = (): void => {
    if (closed) throw new Error('the bus is closed')
  }
  return {
    publish: async (message) => {
      assertOutsideTransaction('the bus')
      requireOpen()
      for (const queue of queues.values()) {
        if (queue.subjects.some((filter) => matches(filter, message.subject))) queue.offer(message)
      }
    },
    consume: async (durable, subjects, handle) => {
      assertOutsideTransaction('the bus')
      requireOpen()
      const queue = queues.get(durable) ?? new MemoryQueue(subjects, { ...defaults, ...limits })
      queue.subjects = subjects
      queues.set(durable, queue)
      const member = queue.join(handle)
      return { stop: () => queue.leave(member) }
    },
    emit: (subject, body) => {
      assertOutsideTransaction('the bus')
      if (closed) return
      setImmediate(() => {
        for (const one of listeners) if (matches(one.filter, subject)) deliverFrame(one.handle, body, subject, log)
      })
    },
    listen: async (filter, handle): Promise<Subscription> => {
      assertOutsideTransaction('the bus')
      requireOpen()
      const listener = { filter, handle }
      listeners.add(listener)
      return {
        stop: async () => {
          listeners.delete(listener)
        },
      }
    },
    check: async () => requireOpen(),
    close: async () => {
      closed = true
      listeners.clear()
      for (const queue of queues.values()) queue.close()
    },
  }
}
