import type { Mutant } from './mutant.ts'

const consumers = ['core/messaging/consumer/consumers.test.ts']
const store = ['core/event-store/store.test.ts']
const leadership = ['core/database/leader-election.test.ts']

/** Defects in core/database, core/event-store and core/messaging: streams, positions, leadership, consumers, the relay. */
export const mutants: readonly Mutant[] = [
  {
    name: 'the inbox is not looked at',
    file: 'core/messaging/consumer/unordered-delivery.ts',
    find: 'return above.filter((event) => fresh.has(event.id))',
    replace: 'return above.filter((event) => fresh.has(event.id) || above.length > 0)',
    tests: consumers,
    only: 'redelivery|O7|replicas|once',
  },
  {
    name: 'a batch is acknowledged before it is handled',
    file: 'core/messaging/consumer/consumer-runner.ts',
    find: '  const attempts = await handleEvents(handling, consumer, [...events.values()])',
    replace:
      '  for (const message of batch) message.ack()\n  const attempts = await handleEvents(handling, consumer, [...events.values()])',
    tests: consumers,
    only: 'A5',
  },
  {
    name: 'the sweep never looks at the log',
    file: 'core/messaging/consumer/catch-up.ts',
    find: 'const undone = await handlePage(options, consumer, page)',
    replace: 'const undone = page.length < 0 ? await handlePage(options, consumer, page) : undefined',
    tests: consumers,
    only: 'O7',
  },
  {
    name: 'a poison event is retried forever',
    file: 'core/messaging/consumer/dead-letter.ts',
    find: 'const dead = row.attempts >= failure.most',
    replace: 'const dead = row.attempts > failure.most * 1000',
    tests: consumers,
    only: 'A5',
  },
  {
    name: 'a stream moves behind an event that failed',
    file: 'core/messaging/consumer/ordered-delivery.ts',
    find: '    if (failure.dead) await moveBehind(db, consumer, [event])',
    replace: '    await moveBehind(db, consumer, [event])',
    tests: consumers,
    only: 'O4',
  },
  {
    name: 'the relay moves on before the bus has acknowledged',
    file: 'core/messaging/outbox-relay.ts',
    find: `const count = acknowledged.indexOf(false) === -1 ? events.length : acknowledged.indexOf(false)`,
    replace: 'const count = events.length',
    tests: consumers,
    only: 'A6',
  },
  {
    name: 'a stream takes a version twice',
    file: 'core/event-store/streams.ts',
    find: `    .where('version', '=', expected)\n`,
    replace: '',
    tests: store,
    only: 'O4',
  },
  {
    name: 'positions are taken without the lock',
    file: 'core/event-store/migrations/0003-append-events.ts',
    find: '  perform pg_advisory_xact_lock(lock);\n',
    replace: '',
    tests: store,
    only: 'O2',
  },
  {
    name: 'an event with a known id is appended again',
    file: 'core/event-store/append.ts',
    find: 'return fresh.delete(event.id) ? [',
    replace: 'return fresh.delete(event.id) || keyed.size >= 0 ? [',
    tests: store,
    only: 'A4',
  },
  {
    name: 'a deadlock is not run again',
    file: 'core/event-store/transact.ts',
    find: 'if (tried === retries || !isRetryable(error)) throw error',
    replace: 'if (tried === 0 || !isRetryable(error)) throw error',
    tests: store,
    only: 'deadlock',
  },
  {
    name: 'an epoch that has ended may write',
    file: 'core/database/leader-election.ts',
    find: 'if (rows.length === 0) throw new StaleEpoch(name, epoch)',
    replace: 'if (rows.length < 0) throw new StaleEpoch(name, epoch)',
    tests: leadership,
    only: 'O5',
  },
  {
    name: 'two lead at once',
    file: 'core/database/leader-election.ts',
    find: 'where name = ${name} and expires_at < clock_timestamp() for update skip locked',
    replace: 'where name = ${name} for update skip locked',
    tests: leadership,
    only: 'O5',
  },
  {
    name: 'the setting of connections is not used',
    file: 'core/host/process/compose-process.ts',
    find: 'openDatabase({ url, connections,',
    replace: 'openDatabase({ url, connections: 20,',
    tests: ['core/host/process/start.test.ts'],
    only: 'databaseConnections',
  },
]
