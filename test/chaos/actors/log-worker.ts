import { sql } from 'kysely'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createLogFeed } from '#core/messaging/log-feed.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { createRelay } from '#core/messaging/outbox-relay.ts'
import { relayName } from '#core/messaging/relay-cursor.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { noted } from '#core/event-store/testing/notes.ts'
import { until } from '../until.ts'

// `node log-worker.ts HOLDER DATABASE_URL NATS_URL`: the event-log part of a worker. A candidate for the relay's lease, and a member of two
// consumers that write each event as a row; `three` follows the log itself, as a process with all roles does. Runs until it gets a signal.
const [holder = '', url = '', servers = ''] = process.argv.slice(2)
const database = await openDatabase({ url })
const bus = await createNatsBus({ servers, reconnectTimeWait: 100 })
const store = createStore(database, { projections: [] })
const election = createLeaderElection({ database, holder, name: relayName, ttlMs: 1_000 })
const relay = createRelay({ database, bus, install: 'chaos', pollMs: 200 })
void election.run((term) => relay.run(term), new AbortController().signal)
const consumers = (['none', 'stream'] as const).map((order) =>
  on(`chaos.${order}`, [noted], { order, from: 'start' }, async (events, tx) => {
    for (const { data, stream, version } of events)
      await sql`insert into effects (consumer, stream, n, version)
        values (${order}, ${stream}, ${data.n}, ${version})`.execute(tx.tables())
  }),
)
// Servers may be down at this point; the platform waits for them in the same way.
const source = holder === 'three' ? createLogFeed(database, 200) : bus
await until('the streams', () => runConsumers({ store, database, bus: source, consumers, sweepEveryMs: 500 }))
process.stdout.write('ready\n')
