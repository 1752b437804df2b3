import { proofCase } from '../proof.ts'

/** Two writers on one stream, failing batches, redelivery, poison. */
export const chaosCase = proofCase({
  ids: ['O4', 'A5', 'O1', 'O7'],
  title:
    'Streams in version order under redelivery and failing batches; poison goes to the dead letters and comes back; what the bus lost is found',
  files: ['core/messaging/consumer/consumers.test.ts'],
  name: '(O4|A5|O7|O1):',
  counts: { short: 6, usual: 6, full: 6 },
  minutes: 0.3,
})
