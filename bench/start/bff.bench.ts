import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { plugins } from '#plugins/index.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { createDatabase } from '#test/harness/database.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { startNats } from '#test/harness/nats.ts'
import type { Scope } from '#test/harness/scope.ts'
import { bundlePlatform, localParts } from '../../scripts/images/bundle.ts'
import { writeBareServers } from '../tools/bare-http.ts'
import type { Bench, Goal } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { memoryOf, ownCpuOf } from '../tools/process-figures.ts'
import { writeMorePlugins } from './more-plugins.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

type Environment = Readonly<Record<string, string>>

const bundled = 'BFF, bundled (image)'
const withFile = 'BFF, bundled (image), mesh.yaml'
const withMore = 'BFF, bundled (image), mesh.yaml with nine plugins more'
const unbundled = 'BFF, unbundled with client-node'

/** Time from process start to the ready line, on PostgreSQL and NATS, and memory one second later. */
export const bench: Bench = {
  title: 'BFF until it is ready (ms), and its memory a second later (MB)',
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const env = await surroundings(t, folder)
        const image = join(folder, 'image')
        await bundlePlatform(root, image, { without: localParts })
        const client = join(folder, 'client.mjs')
        writeFileSync(client, `import ${JSON.stringify(import.meta.resolve('@kubernetes/client-node'))}`)
        const source = join(root, 'main.ts')
        const more = writeMorePlugins(folder)
        // Without the compile cache, since an image is read-only; the same applies to the peer.
        const cold = { ...env, NODE_DISABLE_COMPILE_CACHE: '1' }
        const candidate = (name: string, args: readonly string[], given: Environment) => ({
          name,
          run: () => start(args, given),
        })
        return interleave(
          [
            ...writeBareServers(folder, { msg: 'ready' }).map(({ name, file }) => candidate(name, [file], cold)),
            candidate(bundled, [join(image, 'main.js'), 'bff'], cold),
            candidate(withFile, [join(image, 'main.js'), 'bff'], { ...cold, MESH_CONFIG: more.none }),
            candidate(withMore, [join(image, 'main.js'), 'bff'], { ...cold, MESH_CONFIG: more.nine }),
            candidate('BFF, unbundled', [source, 'bff'], cold),
            candidate(unbundled, ['--import', client, source, 'bff'], cold),
          ],
          { rounds: 9, most: 14 },
        )
      }),
    ),
  goals: (figureOf) => [
    {
      ...against('ms'),
      text: 'times faster than unbundled with client-node',
      value: figureOf(unbundled, 'ms') / figureOf(bundled, 'ms'),
      limit: 3,
      atLeast: true,
    },
    {
      ...against('rss MB'),
      text: 'memory against unbundled with client-node, ratio',
      value: figureOf(bundled, 'rss MB') / figureOf(unbundled, 'rss MB'),
      limit: 0.55,
    },
    {
      number: 15,
      peer: { candidate: withFile, figure: 'ms' },
      text: 'start with nine plugins more (31 instead of 22), ratio',
      value: figureOf(withMore, 'ms') / figureOf(withFile, 'ms'),
      limit: 1.05,
    },
  ],
}

function against(figure: string): Pick<Goal, 'number' | 'peer'> {
  return { number: 15, peer: { candidate: unbundled, figure } }
}

// Migrated dependencies of a BFF; at startup it uses only the address of the API server.
async function surroundings(t: Scope, folder: string): Promise<Environment> {
  const keys = join(folder, 'keys')
  createKeyring({ dir: keys, generate: declareKeys(plugins, new Set()).types })
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: await createDatabase(t),
    NATS_URL: (await startNats(t)).url,
    MESH_CLUSTER_SERVER: 'http://127.0.0.1:9',
    MESH_KEYS_DIR: keys,
    MESH_HOST: '127.0.0.1',
    MESH_BFF_PORT: '0',
    MESH_ADMIN_PORT: '0',
    AUDIT_SPOOL_DIR: join(folder, 'spool'),
  }
  mkdirSync(env.AUDIT_SPOOL_DIR)
  const child = spawn(process.execPath, [join(root, 'main.ts'), 'migrate'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the migrations ended with ${code}`)
  return env
}

async function start(args: readonly string[], env: Environment): Promise<Record<string, number>> {
  const from = performance.now()
  const child = spawn(process.execPath, [...heapFlags, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let ms: number | undefined
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    if (!line.includes('"msg":"ready"')) continue
    ms = performance.now() - from
    break
  }
  if (ms === undefined) throw new Error(`it ended before it was ready: ${said.join(' ')}`)
  child.stderr.resume()
  await sleep(1000)
  const pid = child.pid ?? 0
  const [{ rss, pss }, cpu] = [memoryOf(pid), ownCpuOf(pid)]
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { ms, 'cpu ms': cpu / 1000, 'rss MB': rss, 'pss MB': pss }
}
