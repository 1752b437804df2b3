import { proofCase } from '../proof.ts'

/** Leaders that are paused and resume after losing their term. */
export const chaosCase = proofCase({
  ids: ['O5'],
  title:
    'A leader is paused beyond its lease and wakes up: no write of a stale epoch is accepted, another has taken over',
  files: ['core/database/leader-election.test.ts'],
  name: 'O5:',
  variable: 'MESH_PAUSES',
  counts: { short: 8, usual: 100, full: 1_000 },
  minutes: 1.3,
})
