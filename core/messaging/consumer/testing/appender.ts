import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { createRelay } from '#core/messaging/outbox-relay.ts'
import { relayName } from '#core/messaging/relay-cursor.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { note } from '#core/event-store/testing/notes.ts'

// A process that appends until it is killed, `node appender.ts <location as JSON> [NATS URL]`. It prints the number of events found, and after
// each COMMIT what it committed. With NATS it publishes its events, too.
const location = JSON.parse(process.argv[2] ?? '') as Parameters<typeof openDatabase>[0]
const database = await openDatabase(location)
const store = createStore(database, { projections: [] })
const [, , , servers] = process.argv
if (servers !== undefined) {
  const bus = await createNatsBus({ servers })
  const election = createLeaderElection({ database, holder: 'appender', name: relayName, ttlMs: 2_000 })
  const relay = createRelay({ database, bus, install: 'test' })
  void election.run((term) => relay.run(term), new AbortController().signal)
}
process.stdout.write(`ready ${(await readAfter(database.db, 0n, 1_000_000)).length}\n`)
for (let n = 0; ; n++) {
  await store.transact((tx) => tx.append(`notes/${n % 3}`, 'any', [note(n)]))
  process.stdout.write(`${n}\n`)
}
