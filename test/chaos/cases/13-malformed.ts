import { proofCase } from '../proof.ts'

/** Objects that no API server should return. */
export const chaosCase = proofCase({
  ids: ['A10', 'A11'],
  title: 'Objects with malformed labels, annotations and managedFields; expired lists and watches: no controller stops',
  files: ['core/controllers/informer.test.ts', 'core/controllers/watch/reflector.test.ts'],
  name: 'A1[01]',
  counts: { short: 3, usual: 3, full: 3 },
  minutes: 0.5,
})
