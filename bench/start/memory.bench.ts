import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareImage } from '#core/database/pglite-data-dir.ts'
import { createAgents, untilReady } from '../tools/agents.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, startPlatform, startProcess } from '../tools/platform.ts'
import { childrenOf, commandOf, cpuOf, memoryOf, ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'

/** Memory of the embedded process with ten idle agents beside a process with an empty PGlite; each idle for ten seconds. */
export const bench: Bench = {
  title: 'memory (MB) and idle CPU (microseconds a second)',
  measure: () =>
    interleave(
      [
        { name: 'bare http on node', run: bareServer },
        { name: 'empty PGlite', run: emptyPglite },
        { name: 'embedded, ten agents', run: tenAgents },
      ],
      { rounds: 3, most: 4 },
    ),
  goals: (figureOf) => [
    {
      text: 'embedded process with ten idle agents, RSS above an empty PGlite, MB',
      value: figureOf('embedded, ten agents', 'rss MB') - figureOf('empty PGlite', 'rss MB'),
      limit: 200,
    },
    {
      text: 'idle launcher of a declarative agent, RSS, MB',
      value: figureOf('embedded, ten agents', 'launcher rss MB'),
      limit: 80,
    },
  ],
}

const idleMs = 10_000
const waiting = 'setInterval(() => {}, 1e6)'

async function bareServer(): Promise<Record<string, number>> {
  const program = "require('http').createServer().listen(0,'127.0.0.1',()=>console.log('ready'))"
  const started = await startProcess(process.execPath, ['--max-semi-space-size=4', '-e', program])
  await sleep(1000)
  const { rss, pss } = memoryOf(started.pid)
  await started.stop()
  return { 'rss MB': rss, 'pss MB': pss }
}

function emptyPglite(): Promise<Record<string, number>> {
  return inFolder(async (folder) => {
    const data = join(folder, 'data')
    await prepareImage(data)
    const program = `const { PGlite } = await import('@electric-sql/pglite')
      const database = await PGlite.create(${JSON.stringify(data)})
      await database.query('select 1'); console.log('ready'); ${waiting}`
    const started = await startProcess(process.execPath, ['--input-type=module', '-e', program])
    const figures = await idle(started.pid)
    await started.stop()
    return figures
  })
}

function tenAgents(): Promise<Record<string, number>> {
  return inFolder(async (folder) => {
    const platform = await startPlatform(join(folder, 'data'), ['--no-demo'])
    await createAgents(platform, { count: 10, namespace: 'demo' })
    await untilReady(platform, 'demo')
    const figures = await idle(platform.pid)
    const launchers = childrenOf(platform.pid).filter((pid) => commandOf(pid).includes('launcher/main.ts'))
    const memory = launchers.map(memoryOf)
    await platform.stop()
    if (memory.length !== 10) throw new Error(`ten agents, but ${memory.length} launchers`)
    const worst = (figure: 'rss' | 'pss'): number => Math.max(...memory.map((one) => one[figure]))
    return { ...figures, 'launcher rss MB': worst('rss'), 'launcher pss MB': worst('pss') }
  })
}

async function idle(pid: number): Promise<Record<string, number>> {
  await sleep(idleMs / 2)
  const [own, tree] = [ownCpuOf(pid), cpuOf(pid)]
  await sleep(idleMs / 2)
  const seconds = idleMs / 2000
  const { rss, pss } = memoryOf(pid)
  return {
    'rss MB': rss,
    'pss MB': pss,
    'idle us/s': (ownCpuOf(pid) - own) / seconds,
    'idle us/s with children': (cpuOf(pid) - tree) / seconds,
  }
}
