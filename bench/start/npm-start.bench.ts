import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../tools/bench.ts'
import { inFolder, startPlatform, startProcess } from '../tools/platform.ts'
import type { Started } from '../tools/platform.ts'
import { memoryOf, ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'

/** Time from process start to the ready line, after installation. */
export const bench: Bench = {
  title: 'npm start until ready (ms), and the CPU of it (ms)',
  measure: () =>
    inFolder(async (folder) => {
      const kept = join(folder, 'kept')
      await (await startPlatform(kept)).stop()
      const candidates: readonly Candidate[] = [
        { name: 'bare http on node', run: () => timed(startProcess(process.execPath, ['-e', bareServer])) },
        { name: 'empty folder', run: () => inFolder((empty) => timed(startPlatform(join(empty, 'data')))) },
        {
          name: 'existing folder',
          run: () => inFolder((copy) => timed(startPlatform(copyOf(kept, join(copy, 'data'))))),
        },
      ]
      return interleave(candidates, { rounds: 5, most: 8 })
    }),
  goals: (figureOf) => [
    {
      number: 17,
      text: 'ready on an empty folder, ms',
      value: figureOf('empty folder', 'ready ms'),
      limit: 5000,
      peer,
    },
    {
      number: 17,
      text: 'ready on an existing folder, ms',
      value: figureOf('existing folder', 'ready ms'),
      limit: 2000,
      peer,
    },
    { number: 17, text: 'CPU on an existing folder, ms', value: figureOf('existing folder', 'cpu ms'), limit: 1800 },
    { number: 17, text: 'memory on an existing folder, MB', value: figureOf('existing folder', 'rss MB'), limit: 260 },
  ],
}

const peer = { candidate: 'bare http on node', figure: 'ready ms' }
const bareServer = "require('http').createServer().listen(0,'127.0.0.1',()=>console.log('ready'))"

async function timed(starting: Promise<Started>): Promise<Record<string, number>> {
  const started = await starting
  const figures = {
    'ready ms': started.readyMs,
    'cpu ms': ownCpuOf(started.pid) / 1000,
    'rss MB': memoryOf(started.pid).rss,
  }
  await started.stop()
  return figures
}

function copyOf(from: string, to: string): string {
  cpSync(from, to, { recursive: true })
  return to
}
