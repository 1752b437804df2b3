import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { podFaults } from '#test/pods/faults.ts'
import type { ChaosCase } from '../case.ts'
import { NotHere } from '../run-case.ts'

/** Pods of every role on a real cluster. */
export const chaosCase: ChaosCase = {
  ids: ['X6', 'O6', 'A4'],
  title:
    'On a real cluster at 100 requests/s: a rolling update of the BFF with nothing failed; pods of every role killed and drained',
  counts: { short: 2, usual: 4, full: 10 },
  minutes: 12,
  run: async (scope, { count }) => {
    const folder = process.env.MESH_TEST_CLUSTER
    const missing =
      folder === undefined || !existsSync(join(folder, 'up.sh'))
        ? 'MESH_TEST_CLUSTER must name a folder with up.sh and down.sh'
        : process.getuid?.() === 0
          ? undefined
          : 'a node needs root on Linux'
    if (folder === undefined || missing !== undefined) throw new NotHere(`real pods are NOT tested: ${missing}`)
    return podFaults(scope, folder, { kills: count })
  },
}
