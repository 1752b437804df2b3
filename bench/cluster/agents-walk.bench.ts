import { join } from 'node:path'
import { createPool } from '#core/kube/pool.ts'
import type { KubePool } from '#core/kube/pool.ts'
import { findServer } from '#test/harness/find-server.ts'
import { startKube } from '#test/harness/kube.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { inFolder, root, startProcess } from '../tools/platform.ts'
import type { Started } from '../tools/platform.ts'
import { ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { createObjects, installKinds, walk } from './walk.ts'
import type { Listing } from './walk.ts'

const objects = 1000
const walks = 10
const throughBff: Listing = { path: '/api/agents', cursor: 'cursor' }
const direct: Listing = { path: '/apis/mesh.dev/v1alpha1/agentdeployments', cursor: 'continue' }
const withReal = findServer('kube-apiserver') !== undefined && findServer('etcd') !== undefined

/** The platform's list beside the API server's own, page by page, by the same client with the same bearer. */
export const bench: Bench = {
  title: `${objects} agents in pages of 200, one walk (ms), and CPU of the BFF's process (microseconds a walk)`,
  measure: () =>
    withScope(async (t) => {
      const candidates = [...(await onEmbedded(t)), ...(withReal ? await onReal(t) : [])]
      return interleave(candidates, { rounds: 7, most: 12 })
    }),
  goals: (figureOf) => [ratio(figureOf, 'embedded'), ...(withReal ? [ratio(figureOf, 'kube-apiserver')] : [])],
}

function ratio(figureOf: FigureOf, where: string): Goal {
  const value = figureOf(`GET /api/agents on ${where}`, 'ms') / figureOf(`direct to ${where}`, 'ms')
  return { text: `a walk through the API against the same at ${where}, ratio`, value, limit: 1.25 }
}

async function onEmbedded(t: Scope): Promise<readonly Candidate[]> {
  const bff = await startBff(t, [])
  const { url, server, token } = JSON.parse(bff.line) as { url: string; server: string; token: string }
  const [own, cluster] = [poolOf(t, url), poolOf(t, server)]
  await createObjects(cluster, token, objects)
  return pair('embedded', { bff, own, cluster, token })
}

async function onReal(t: Scope): Promise<readonly Candidate[]> {
  const kube = await startKube(t)
  const token = kube.tokens['admin'] ?? ''
  const cluster = createPool(kube.url, { ca: kube.ca })
  t.after(() => cluster.close())
  await installKinds(cluster, token)
  await createObjects(cluster, token, objects)
  const bff = await startBff(t, [kube.url, kube.ca])
  const { url } = JSON.parse(bff.line) as { url: string }
  return pair('kube-apiserver', { bff, own: poolOf(t, url), cluster, token })
}

async function startBff(t: Scope, args: readonly string[]): Promise<Started> {
  return inFolder(async (folder) => {
    const program = join(root, 'bench', 'cluster', 'bff.ts')
    const started = await startProcess(process.execPath, [program, join(folder, 'data'), ...args])
    t.after(() => started.stop())
    return started
  })
}

function poolOf(t: Scope, url: string): KubePool {
  const pool = createPool(url)
  t.after(() => pool.close())
  return pool
}

function pair(
  where: string,
  parts: { bff: Started; own: KubePool; cluster: KubePool; token: string },
): readonly Candidate[] {
  const { bff, own, cluster, token } = parts
  const run = (pool: KubePool, listing: Listing) => async () => {
    const from = { cpu: ownCpuOf(bff.pid), at: performance.now() }
    for (let turn = 0; turn < walks; turn++) {
      const count = await walk(pool, token, listing)
      if (count !== objects) throw new Error(`${listing.path}: ${count} objects`)
    }
    return { ms: (performance.now() - from.at) / walks, 'cpu us': (ownCpuOf(bff.pid) - from.cpu) / walks }
  }
  return [
    { name: `direct to ${where}`, run: run(cluster, direct) },
    { name: `GET /api/agents on ${where}`, run: run(own, throughBff) },
  ]
}
