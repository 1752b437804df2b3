import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { everyNamespace } from '#core/cluster/served-namespaces.ts'
import type { Role } from '#core/config/profile.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { note, noted } from '#core/event-store/testing/notes.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import { createLogFeed } from '#core/messaging/log-feed.ts'
import type { LogFeed } from '#core/messaging/log-feed.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { createPlatformOpener } from './open-platform.ts'
import type { Platform } from './platform.ts'

const never = 3_600_000
// Less than the first interval of sweeps.
const limit = { timeout: 30_000 }

test('PGlite: what one role commits is handled in another without a poll (O1)', limit, async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await handledByTheWorker(t, { writer: database, worker: database })
})

test(
  'PostgreSQL: what one role commits is handled in another without a poll (O1)',
  { ...needs('postgres', 'initdb'), ...limit },
  async (t) => {
    const database = await openDatabase({ url: await createDatabase(t) })
    t.after(() => database.close())
    await handledByTheWorker(t, { writer: database, worker: database })
  },
)

test(
  'PostgreSQL: what one process commits is handled in another without a poll (O1)',
  { ...needs('postgres', 'initdb'), ...limit },
  async (t) => {
    const url = await createDatabase(t)
    const [writer, worker] = [await openDatabase({ url }), await openDatabase({ url })]
    t.after(() => Promise.all([writer.close(), worker.close()]))
    await handledByTheWorker(t, { writer, worker })
  },
)

test(
  'R2-P4: with a feed, events are handled while the bus is away, and published once it is back',
  limit,
  async (t) => {
    const database = await openMemoryStore()
    t.after(() => database.close())
    const bus = createAbsentBus()
    const feed = createLogFeed(database, never)
    const stopped = new AbortController()
    const [writer, worker] = await openRoles({ writer: database, worker: database }, bus, feed)
    const handled = createInbox()
    const consumer = on('notes.seen', [noted], { order: 'none', from: 'start' }, async (events) => handled.add(events))
    const relaying = worker.relay([consumer], stopped.signal)
    const consuming = worker.consume([consumer], stopped.signal)
    t.after(async () => {
      stopped.abort()
      await Promise.all([relaying.done, consuming.done])
      await feed.close()
      await Promise.all([writer, worker].map((one) => one.close()))
    })
    for (let n = 0; n < 3; n++) {
      await writer.store?.transact((tx) => tx.append(`notes/${n}`, 0, [note(n)]))
      await handled.has(n)
    }
    assert.deepEqual(bus.published, [])
    bus.comeBack()
    await bus.has(3)
    await consuming.subscribe()
    assert.equal(handled.count(), 3)
  },
)

// Roles as in a real process: each writes through its own gated handle, while the relay reads through that of the process. The next
// poll of the relay and the next sweep of the consumers are later than the time limit of the test.
async function handledByTheWorker(t: TestContext, databases: { writer: Database; worker: Database }): Promise<void> {
  const bus = createMemoryBus()
  const stopped = new AbortController()
  const [writer, worker] = await openRoles(databases, bus)
  const handled = createInbox()
  const consumer = on('notes.seen', [noted], { order: 'none', from: 'start' }, async (events) => handled.add(events))
  const relaying = worker.relay([consumer], stopped.signal)
  const consuming = worker.consume([consumer], stopped.signal)
  t.after(async () => {
    stopped.abort()
    await Promise.all([relaying.done, consuming.done])
    await Promise.all([writer, worker].map((one) => one.close()))
    await bus.close()
  })
  await consuming.subscribe()
  for (let n = 0; n < 5; n++) {
    // In turn, so that neither role is the only writer whose commits are noticed.
    const { store } = n % 2 === 0 ? writer : worker
    await store?.transact((tx) => tx.append(`notes/${n}`, 0, [note(n)]))
    await handled.has(n)
  }
  assert.equal(handled.count(), 5)
}

/** A bus that takes nothing until it is back, and then only publishes. */
function createAbsentBus() {
  const published: string[] = []
  let isAway = true
  let changed = Promise.withResolvers<void>()
  const arrive = async (): Promise<void> => {
    if (isAway) throw new Fail('bus_unavailable')
  }
  return {
    published,
    comeBack: () => (isAway = false),
    has: async (count: number): Promise<void> => {
      while (published.length < count) await changed.promise
    },
    check: arrive,
    publish: async ({ id }: { readonly id: string }) => {
      await arrive()
      published.push(id)
      changed.resolve()
      changed = Promise.withResolvers<void>()
    },
    consume: () => Promise.reject(new Error('consumers of this process do not use the bus')),
    emit: () => undefined,
    listen: () => Promise.reject(new Error('not used')),
    close: async () => undefined,
  }
}

async function openRoles(
  databases: { writer: Database; worker: Database },
  bus: Bus,
  feed?: LogFeed,
): Promise<[Platform, Platform]> {
  const open = (database: Database, role: Role): Promise<Platform> =>
    createPlatformOpener({
      database,
      bus,
      feed,
      cluster: { server: 'http://127.0.0.1:1', tls: {}, bearerOf: () => undefined },
      served: everyNamespace,
      install: 'mesh',
      eventRetentionDays: 7,
      relayPollMs: never,
      log: createLogger({ destination: { write: () => undefined } }),
      metrics: createMetrics(),
    })({ role, projections: () => [], eventTypes: [noted], migrations: [] })
  const migrating = await open(databases.worker, 'migrate')
  await migrating.migrate([])
  await migrating.close()
  return [await open(databases.writer, 'bff'), await open(databases.worker, 'worker')]
}

/** Numbers of the notes that a consumer handled. */
function createInbox() {
  const seen: number[] = []
  let changed = Promise.withResolvers<void>()
  return {
    add: (events: readonly { readonly data: { readonly n: number } }[]) => {
      seen.push(...events.map(({ data }) => data.n))
      changed.resolve()
      changed = Promise.withResolvers<void>()
    },
    has: async (n: number): Promise<void> => {
      while (!seen.includes(n)) await changed.promise
    },
    count: () => seen.length,
  }
}
