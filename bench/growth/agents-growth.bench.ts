import type { Scope } from '#test/harness/scope.ts'
import { openInstallation, places } from '../cluster/installation.ts'
import type { Bench } from '../tools/bench.ts'
import { ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { costOf, staysFlat } from './cost.ts'

// Creating 10,000 on a kube-apiserver takes two minutes; BENCH_MANY_AGENTS=10000 measures the goal.
const few = 100
const many = Number(process.env.BENCH_MANY_AGENTS ?? 2000)
const pageSize = 50
const nameOf = (where: string, agents: number): string => `${agents} agents on ${where}`

const operations = [
  { name: 'page', what: `the first ${pageSize} of GET /api/agents` },
  { name: 'next page', what: `the next ${pageSize}` },
  { name: 'get', what: 'GET of one agent' },
]

/** Cost of a page and of one agent through the BFF, in a cluster with few agents and in one with many. */
export const bench: Bench = {
  title: `agents through the BFF among ${few} and among ${many}, CPU of the BFF (microseconds) and time (ms)`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const agents of [few, many]) for (const place of places) candidates.push(await candidateAt(t, place, agents))
      return interleave(candidates, { rounds: 3, most: 3 })
    }),
  goals: (figureOf) =>
    places.flatMap((where) =>
      operations.map(({ name, what }) =>
        staysFlat(figureOf, {
          name,
          // The embedded server is part of the BFF's process.
          what: where === 'embedded' ? `${what}, API server included` : what,
          small: nameOf(where, few),
          large: nameOf(where, many),
        }),
      ),
    ),
}

async function candidateAt(t: Scope, where: string, agents: number): Promise<Candidate> {
  const { bff, own: pool, token } = await openInstallation(t, where, agents)
  const get = (path: string) => async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await pool.calls.request({ method: 'GET', path, headers })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    return text
  }
  const first = `/api/agents?limit=${pageSize}`
  const { nextCursor } = JSON.parse(await get(first)()) as { nextCursor: string }
  const own = (): number => ownCpuOf(bff.pid)
  const run = async (): Promise<Record<string, number>> => ({
    ...(await costOf('page', 300, get(first), own)),
    ...(await costOf('next page', 300, get(`${first}&cursor=${encodeURIComponent(nextCursor)}`), own)),
    ...(await costOf('get', 800, get('/api/agents/default/bench-00070'), own)),
  })
  await run() // excludes JIT compilation and cold caches
  return { name: nameOf(where, agents), run }
}
