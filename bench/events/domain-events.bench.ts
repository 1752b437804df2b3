import { randomUUID } from 'node:crypto'
import { connect } from '@nats-io/transport-node'
import { jetstream } from '@nats-io/jetstream'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createLogFeed } from '#core/messaging/log-feed.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { planOf } from '#core/messaging/bus/durable-consumers.ts'
import { createRelay } from '#core/messaging/outbox-relay.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database, DatabaseLocation } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { note, noted } from '#core/event-store/testing/notes.ts'
import { createDatabase } from '#test/harness/database.ts'
import { startNats } from '#test/harness/nats.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate, Measured } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { buildGoPeer } from './go-peer.ts'

const messages = 5000
const inFlight = 100
const appends = 200

// With the shipped configuration JetStream responds after fsync, most of the time; the second server shows the clients alone.
const servers = [
  { where: 'fsync', syncAlways: true },
  { where: 'no fsync', syncAlways: false },
]

const share =
  'The bus publishes by the client library for Node.js; the bare client is that library alone, so what it lacks to the Go client no bus on it can have.'

/** Path of a domain event: publish rate on JetStream, and the time from the commit of its append to its consumer. */
export const bench: Bench = {
  title: `${messages} durable publishes with ${inFlight} in flight (1/s), and ${appends} appends from commit to consumer (ms)`,
  database: 'fresh',
  measure: () => inFolder((folder) => withScope((t) => measure(t, folder))),
  goals: (figureOf, has) => [
    ...servers.flatMap(({ where }) => (has(`Go client, ${where}`) ? [againstGo(figureOf, where)] : [])),
    {
      number: 13,
      text: 'outbox to consumer, p50, ms',
      value: figureOf('PostgreSQL and NATS', 'p50 ms'),
      limit: 10,
      peer: { candidate: 'PGlite in one process', figure: 'p50 ms' },
    },
  ],
}

function againstGo(figureOf: FigureOf, where: string): Goal {
  const peer = { candidate: `Go client, ${where}`, figure: 'per second' }
  const value = figureOf(`bus, ${where}`, 'per second') / figureOf(peer.candidate, peer.figure)
  return {
    number: 13,
    text: `publishes a second against the Go client, ${where}, ratio`,
    value,
    limit: 0.5,
    atLeast: true,
    peer,
  }
}

async function measure(t: Scope, folder: string): Promise<Measured> {
  const go = await buildGoPeer(folder)
  const candidates: Candidate[] = []
  for (const { where, syncAlways } of servers) {
    const { url } = await startNats(t, { syncAlways })
    candidates.push(await busPublishes(t, `bus, ${where}`, url), await rawPublishes(t, `bare client, ${where}`, url))
    const work = { url, subject, messages, inFlight, size: body.length }
    if (typeof go === 'function') candidates.push({ name: `Go client, ${where}`, run: () => go(work) })
  }
  const { url } = await startNats(t)
  candidates.push(
    await delivery(t, 'PostgreSQL and NATS', {
      database: await open(t, { url: await createDatabase(t) }),
      bus: await natsBus(t, url),
    }),
    await fedDelivery(t, 'PostgreSQL and NATS, log feed', url),
    await delivery(t, 'PGlite in one process', {
      database: await open(t, { pglite: 'memory://' }),
      bus: createMemoryBus(),
    }),
  )
  const measured = await interleave(candidates, { rounds: 5, most: 8 })
  return { ...measured, notes: [share, ...(typeof go === 'string' ? [`The Go client is left out: ${go}.`] : [])] }
}

async function natsBus(t: Scope, url: string): Promise<Bus> {
  const bus = await createNatsBus({ servers: url })
  t.after(() => bus.close())
  await bus.ensure({ durables: planOf([consumer(() => undefined)]) })
  return bus
}

async function open(t: Scope, location: DatabaseLocation): Promise<Database> {
  const database = await openDatabase(location)
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  return database
}

async function rawPublishes(t: Scope, name: string, url: string): Promise<Candidate> {
  const connection = await connect({ servers: url })
  t.after(() => connection.close())
  const client = jetstream(connection)
  const publish = (): Promise<unknown> => client.publish(subject, body, { msgID: randomUUID() })
  return { name, run: () => publishAll(publish) }
}

async function busPublishes(t: Scope, name: string, url: string): Promise<Candidate> {
  const bus = await natsBus(t, url)
  const publish = (): Promise<void> => bus.publish({ subject, id: randomUUID(), body })
  return { name, run: () => publishAll(publish) }
}

const subject = 'mesh.v1.default.bench.published.v1'
const body = Buffer.from(
  JSON.stringify({ specversion: '1.0', type: 'bench.published', data: { n: 1, text: 'x'.repeat(600) } }),
)

async function publishAll(publish: () => Promise<unknown>): Promise<Record<string, number>> {
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  let left = messages
  const worker = async (): Promise<void> => {
    while (left-- > 0) await publish()
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  const { user, system } = process.cpuUsage(cpu)
  return { 'per second': (messages * 1000) / (performance.now() - from), 'cpu us': (user + system) / messages }
}

// As in a process that runs every role: the relay publishes, and the consumers follow the log.
async function fedDelivery(t: Scope, name: string, url: string): Promise<Candidate> {
  const database = await open(t, { url: await createDatabase(t) })
  const feed = createLogFeed(database)
  t.after(() => feed.close())
  return delivery(t, name, { database, bus: await natsBus(t, url), source: feed })
}

interface Delivering {
  readonly database: Database
  readonly bus: Bus
  /** What wakes the consumers; default the bus. */
  readonly source?: Pick<Bus, 'consume'>
}

async function delivery(t: Scope, name: string, { database, bus, source = bus }: Delivering): Promise<Candidate> {
  const store = createStore(database, { projections: [] })
  const arrived = new Map<number, PromiseWithResolvers<number>>()
  const consumers = [consumer((n) => arrived.get(n)?.resolve(performance.now()))]
  const running = await runConsumers({ store, database, bus: source, consumers })
  t.after(() => running.stop())
  const stopped = new AbortController()
  const job = createRelay({ database, bus, install: 'bench' })
  const election = createLeaderElection({ database, holder: randomUUID(), name: job.name })
  const relay = election.run((term) => job.run(term), stopped.signal)
  t.after(async () => {
    stopped.abort()
    await relay
  })
  let next = 0
  const once = async (): Promise<number> => {
    const n = next++
    const waiting = Promise.withResolvers<number>()
    arrived.set(n, waiting)
    await store.transact((tx) => tx.append(`notes/${n % 10}`, 'any', [note(n)]))
    const committed = performance.now()
    return Math.max(0, (await waiting.promise) - committed)
  }
  return {
    name,
    run: async () => {
      const times: number[] = []
      const before = process.cpuUsage()
      for (let turn = 0; turn < appends; turn++) times.push(await once())
      const { user, system } = process.cpuUsage(before)
      const cpu = (user + system) / appends
      return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99), 'event cpu us': cpu }
    },
  }
}

function consumer(seen: (n: number) => void) {
  return on('bench.seen', [noted], { order: 'none', from: 'start' }, async (events) => {
    for (const event of events) seen(event.data.n)
  })
}
