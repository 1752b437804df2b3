import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildBinary, ownTarget, targets } from '../../scripts/meshctl/build-binary.ts'
import { bundleMeshctl } from '../../scripts/meshctl/bundle-meshctl.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'
import { median } from '../tools/statistics.ts'

const STARTS = 15

/** The single binary beside Node.js without a program. */
export const bench: Bench = {
  title: 'meshctl expand, single binary (ms)',
  measure: () =>
    inFolder(async (folder) => {
      const bundle = join(folder, 'meshctl.cjs')
      await bundleMeshctl(root, bundle)
      const target = targets.find(({ name }) => name === ownTarget)
      if (target === undefined) throw new Error(`there is no binary for ${ownTarget}`)
      const binary = buildBinary(root, bundle, target, folder)
      const agent = join(folder, 'agent.yaml')
      writeFileSync(agent, 'name: hello\nmodel: {route: mock}\n')
      const of = (name: string, program: string, args: readonly string[]) => ({
        name,
        run: async () => ({ ms: medianOf(program, args) }),
      })
      const candidates = [
        of('node -e 0', process.execPath, ['-e', '0']),
        of('meshctl expand', binary, ['expand', agent]),
        of('meshctl --help', binary, ['--help']),
      ]
      return interleave(candidates, { rounds: 7, most: 12 })
    }),
  goals: (figureOf) => [
    {
      number: 16,
      text: 'expand, of the time of node -e 0',
      value: figureOf('meshctl expand', 'ms') / figureOf('node -e 0', 'ms'),
      limit: 1.4,
    },
  ],
}

function medianOf(program: string, args: readonly string[]): number {
  const times = Array.from({ length: STARTS }, () => {
    const from = performance.now()
    const { status } = spawnSync(program, args, { stdio: 'ignore' })
    if (status !== 0) throw new Error(`${program} exits with ${status}`)
    return performance.now() - from
  })
  return median(times)
}
