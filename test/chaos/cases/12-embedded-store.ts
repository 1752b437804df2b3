import { proofCase } from '../proof.ts'

/** The embedded store is killed while it writes. */
export const chaosCase = proofCase({
  ids: ['O8'],
  title:
    'The embedded store is killed with -9 at random instants: it opens again with everything committed; a second process is refused',
  files: ['core/database/pglite.test.ts'],
  name: 'O8:',
  variable: 'MESH_KILLS',
  counts: { short: 4, usual: 20, full: 100 },
  minutes: 1.6,
})
