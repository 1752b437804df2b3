import { join } from 'node:path'
import { createPool } from '#core/kube/pool.ts'
import type { KubePool } from '#core/kube/pool.ts'
import { findServer } from '#test/harness/find-server.ts'
import { startKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createObjects, installKinds } from '../cluster/walk.ts'
import type { Bench } from '../tools/bench.ts'
import { root, startProcess } from '../tools/platform.ts'
import type { Started } from '../tools/platform.ts'
import { ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { costOf, staysFlat } from './cost.ts'

// 10,000 on a kube-apiserver take two minutes to create: BENCH_MANY_AGENTS=10000 for the form of the goal.
const few = 100
const many = Number(process.env.BENCH_MANY_AGENTS ?? 2000)
const pageSize = 50
const withReal = findServer('kube-apiserver') !== undefined && findServer('etcd') !== undefined
const places = ['embedded', ...(withReal ? ['kube-apiserver'] : [])] as const
const nameOf = (where: string, agents: number): string => `${agents} agents on ${where}`

const operations = [
  { name: 'page', what: `the first ${pageSize} of GET /api/agents` },
  { name: 'next page', what: `the next ${pageSize}` },
  { name: 'get', what: 'GET of one agent' },
]

/** What a page and one agent cost through the BFF in a cluster with few agents and in one with many. */
export const bench: Bench = {
  title: `agents through the BFF among ${few} and among ${many}, CPU of the BFF (microseconds) and time (ms)`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const agents of [few, many]) {
        candidates.push(await onEmbedded(t, agents))
        if (withReal) candidates.push(await onReal(t, agents))
      }
      return interleave(candidates, { rounds: 3, most: 3 })
    }),
  goals: (figureOf) =>
    places.flatMap((where) =>
      operations.map(({ name, what }) =>
        staysFlat(figureOf, {
          name,
          // The embedded server is a part of the BFF's process.
          what: where === 'embedded' ? `${what}, API server included` : what,
          small: nameOf(where, few),
          large: nameOf(where, many),
        }),
      ),
    ),
}

async function onEmbedded(t: Scope, agents: number): Promise<Candidate> {
  const bff = await startBff(t, [])
  const { url, server, token } = JSON.parse(bff.line) as { url: string; server: string; token: string }
  await createObjects(poolOf(t, server), token, agents)
  return candidateOf(nameOf('embedded', agents), bff, poolOf(t, url), token)
}

async function onReal(t: Scope, agents: number): Promise<Candidate> {
  const kube = await startKube(t)
  const token = kube.tokens['admin'] ?? ''
  const cluster = createPool(kube.url, { ca: kube.ca })
  t.after(() => cluster.close())
  await installKinds(cluster, token)
  await createObjects(cluster, token, agents)
  const bff = await startBff(t, [kube.url, kube.ca])
  const { url } = JSON.parse(bff.line) as { url: string }
  return candidateOf(nameOf('kube-apiserver', agents), bff, poolOf(t, url), token)
}

async function startBff(t: Scope, args: readonly string[]): Promise<Started> {
  const folder = tempFolder('bench-growth')
  t.after(folder.remove)
  const file = join(root, 'bench', 'cluster', 'bff.ts')
  const flags = ['--heap-growing-percent=100', '--max-semi-space-size=4', file, join(folder.path, 'data'), ...args]
  const started = await startProcess(process.execPath, flags)
  t.after(() => started.stop())
  return started
}

function poolOf(t: Scope, url: string): KubePool {
  const pool = createPool(url)
  t.after(() => pool.close())
  return pool
}

async function candidateOf(name: string, { pid }: Started, pool: KubePool, token: string): Promise<Candidate> {
  const get = (path: string) => async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await pool.calls.request({ method: 'GET', path, headers })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    return text
  }
  const first = `/api/agents?limit=${pageSize}`
  const { nextCursor } = JSON.parse(await get(first)()) as { nextCursor: string }
  const own = (): number => ownCpuOf(pid)
  const run = async (): Promise<Record<string, number>> => ({
    ...(await costOf('page', 300, get(first), own)),
    ...(await costOf('next page', 300, get(`${first}&cursor=${encodeURIComponent(nextCursor)}`), own)),
    ...(await costOf('get', 800, get('/api/agents/default/bench-00070'), own)),
  })
  await run() // what the JIT compiles and the caches hold in a process that has run for a while
  return { name, run }
}
