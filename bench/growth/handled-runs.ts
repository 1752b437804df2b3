import { randomUUID } from 'node:crypto'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createRelay } from '#core/messaging/outbox-relay.ts'
import { openDatabase } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { runCreated } from '#plugins/runs/contract/events.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import type { Scope } from '#test/harness/scope.ts'

/** Queues runs and waits until two consumers have handled each: one by its inbox, one in stream order. */
export async function openHandledRuns(t: Scope, url: string): Promise<(count: number) => Promise<void>> {
  const database = await openDatabase({ url })
  t.after(() => database.close())
  const bus = createMemoryBus()
  const world = createWorld(database, bus)
  const waiting = new Map<string, () => void>()
  const handled = ({ runId }: { readonly runId: string }): void => waiting.get(runId)?.()
  const { store } = world
  const running = await runConsumers({ store, database, bus, consumers: consumers(handled) })
  t.after(() => running.stop())
  const stopped = new AbortController()
  const job = createRelay({ database, bus, install: 'bench' })
  const election = createLeaderElection({ database, holder: randomUUID(), name: job.name })
  const relay = election.run((term) => job.run(term), stopped.signal)
  t.after(async () => {
    stopped.abort()
    await relay
  })
  return async (count) => {
    const twice = Promise.withResolvers<void>()
    let left = 2 * count
    const once = (): void => void (--left === 0 && twice.resolve())
    // A distinct caller and namespace each, since queued runs per owner are limited.
    for (let n = 0; n < count; n++) {
      const uid = randomUUID()
      const trigger = { kind: 'api', by: uid }
      const { id } = await queueRunOf(world, { input: { text: 'word '.repeat(40) }, namespaceUid: uid, trigger })
      waiting.set(id, once)
    }
    await twice.promise
    waiting.clear()
  }
}

function consumers(handled: (data: { readonly runId: string }) => void): readonly Consumer[] {
  return (['none', 'stream'] as const).map((order) =>
    on(`bench.${order}`, [runCreated], { order, from: 'now' }, async (events) => {
      for (const { data } of events) handled(data)
    }),
  )
}
