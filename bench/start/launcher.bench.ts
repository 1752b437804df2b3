import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleLauncher } from '../../scripts/images/bundle.ts'
import { writeBareServers } from '../tools/bare-http.ts'
import type { Bench, Goal } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { memoryOf, ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'

/** Time from process start to the listener of a declarative agent's launcher, and memory one second later. */
export const bench: Bench = {
  title: 'launcher until it listens (ms), and its memory a second later (MB)',
  measure: () =>
    inFolder(async (folder) => {
      const bundle = join(folder, 'launcher.mjs')
      await bundleLauncher(root, bundle)
      const config = join(folder, 'agent.json')
      const model = { route: 'default/mock' }
      writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1', model }))
      const source = join(root, 'launcher', 'main.ts')
      const cache = join(root, 'local', 'workloads', 'compile-cache.mjs')
      const candidate = (name: string, args: readonly string[]) => ({ name, run: () => start(args, config) })
      return interleave(
        [
          ...writeBareServers(folder, { listener: 'invoke' }).map(({ name, file }) => candidate(name, [file])),
          candidate('launcher, bundled (image)', [bundle]),
          candidate('launcher, from source with the cache (npm start)', ['--import', cache, source]),
          candidate('launcher, from source without', [source]),
        ],
        { rounds: 9, most: 14 },
      )
    }),
  goals: (figureOf) => {
    const ratio = (figure: string): number =>
      figureOf('launcher, bundled (image)', figure) / figureOf('bare http', figure)
    return [
      { ...against('ms'), text: 'time against bare http, ratio', value: ratio('ms'), limit: 1.6 },
      { ...against('rss MB'), text: 'memory against bare http, ratio', value: ratio('rss MB'), limit: 1.15 },
    ]
  },
}

function against(figure: string): Pick<Goal, 'number' | 'peer'> {
  return { number: 14, peer: { candidate: 'bare http', figure } }
}

async function start(args: readonly string[], config: string): Promise<Record<string, number>> {
  const from = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=4', ...args], {
    env: {
      PATH: process.env.PATH,
      MESH_AGENT_CONFIG: config,
      MESH_UNSIGNED: 'true',
      MESH_BIND: '127.0.0.1',
      MESH_LAUNCHER_PORT: '0',
      DELEGATE_PORT: '0',
      MODEL_GATEWAY_URL: 'http://127.0.0.1:4000/v1',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('"listener":"invoke"')) break
  const ms = performance.now() - from
  child.stderr.resume()
  await sleep(1000)
  const pid = child.pid ?? 0
  const [{ rss, pss }, cpu] = [memoryOf(pid), ownCpuOf(pid)]
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { ms, 'cpu ms': cpu / 1000, 'rss MB': rss, 'pss MB': pss }
}
