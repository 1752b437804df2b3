import { proofCase } from '../proof.ts'

/** The worker of a run is killed at any time. */
export const chaosCase = proofCase({
  ids: ['O6'],
  title: 'The worker of a run is killed with -9 at any instant: the agent is invoked once, and every run ends',
  files: ['plugins/runs/worker/worker.test.ts'],
  name: 'O6:',
  variable: 'MESH_KILLS',
  counts: { short: 4, usual: 24, full: 200 },
  minutes: 1.5,
})
