import type { Mutant } from './mutant.ts'

const consumers = ['core/messaging/consumer/consumers.test.ts']

/** Defects in core/messaging: consumers, order of delivery, the relay. */
export const mutants: readonly Mutant[] = [
  {
    name: 'events of consumers have no cause',
    file: 'core/messaging/consumer/handler-transaction.ts',
    find: 'causedBy(tx, consumer, events)',
    replace: 'tx',
    tests: ['core/messaging/consumer/caused-appends.test.ts'],
    only: 'R2-C12',
  },
  {
    name: 'the inbox is not looked at',
    file: 'core/messaging/consumer/unordered-delivery.ts',
    find: 'return events.filter((event) => fresh.has(event.id))',
    replace: 'return events.filter((event) => fresh.has(event.id) || events.length > 0)',
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
    name: 'the feed leaves out the first event of a read',
    file: 'core/messaging/log-feed.ts',
    find: '        for (const event of events) await queues.publish(toHint(event))\n        position = events.at(-1)?.position ?? position',
    replace:
      '        position = events.at(-1)?.position ?? position\n        for (const event of events.slice(1)) await queues.publish(toHint(event))',
    tests: ['core/host/platform/platform-work.test.ts'],
    only: 'R2-P4',
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
    file: 'core/messaging/consumer/failed-attempts.ts',
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
    name: 'the relay stores its position after every batch',
    file: 'core/messaging/outbox-relay.ts',
    find: 'saveEveryMs = 250 }',
    replace: 'saveEveryMs = 0 }',
    tests: ['test/flows/statements-per-run.test.ts'],
    only: 'PGlite',
  },
  {
    name: 'a consumer under load never waits for a larger batch',
    file: 'core/messaging/consumer/batch-interval.ts',
    find: 'idleMs > beforeMs ? shortestMs',
    replace: 'idleMs >= 0 ? shortestMs',
    tests: ['core/messaging/consumer/batch-interval.test.ts'],
  },
  {
    name: 'a reader of the log ignores what other processes commit',
    file: 'core/messaging/log-tail.ts',
    find: 'if (now === heard && recent.newest <= position && performance.now() < pollAt) return []',
    replace: 'if (heard >= 0 && performance.now() < pollAt) return []',
    tests: ['core/messaging/log-tail.test.ts'],
    only: 'without the table',
  },
  {
    name: 'a relay that was replaced stores its position',
    file: 'core/messaging/relay-cursor.ts',
    find: ".where('epoch', '=', p.epoch)",
    replace: ".where('epoch', '>=', p.epoch)",
    tests: ['core/messaging/log-tail.test.ts'],
    only: 'O5',
  },
]
