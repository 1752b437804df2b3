import { sql } from 'kysely'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { createRelay, relayName } from '#core/messaging/outbox-relay.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { noted } from '#core/event-store/testing/notes.ts'
import { until } from '../until.ts'

// `node log-worker.ts HOLDER DATABASE_URL NATS_URL`: a worker's share of the log, which is a contender for the relay and a member of two
// consumers that write each event as a row. Only signals end it.
const [holder = '', url = '', servers = ''] = process.argv.slice(2)
const database = await openDatabase({ url })
const bus = await createNatsBus({ servers, reconnectTimeWait: 100 })
const store = createStore(database, { projections: [] })
const election = createLeaderElection({ database, holder, name: relayName, ttlMs: 1_000 })
const relay = createRelay({ database, bus, install: 'chaos', pollMs: 200 })
void election.run((term) => relay.run(term), new AbortController().signal)
const consumers = (['none', 'stream'] as const).map((order) =>
  on(`chaos.${order}`, [noted], { order, from: 'start' }, async (events, { db }) => {
    for (const { data, stream, version } of events)
      await sql`insert into effects (consumer, stream, n, version)
        values (${order}, ${stream}, ${data.n}, ${version})`.execute(db)
  }),
)
// Servers may be down just now; the platform waits for them in the same way.
await until('the streams', () => runConsumers({ store, database, bus, consumers, sweepEveryMs: 500 }))
process.stdout.write('ready\n')
