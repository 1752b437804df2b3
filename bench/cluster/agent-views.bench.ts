import type { Scope } from '#test/harness/scope.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { openInstallation } from './installation.ts'
import type { Installation } from './installation.ts'

const objects = 500
const turns = 20
const kinds = ['agentregistries', 'modelroutes', 'modelproviders', 'mcptoolbindings', 'mcpservers', 'knowledgebases']
const floor = 'seven lists at the API server, parsed'
const plain = 'a page of 200 agents'
const withRights = 'the page with include=can'

/** What the console reads of agents in one request, beside the lists that it is made of. */
export const bench: Bench = {
  title: `${objects} agents on the embedded API server, one request (ms)`,
  measure: () => withScope(async (t) => interleave(await candidatesOf(t), { rounds: 3, most: 5 })),
  goals: (figureOf) => [
    ratio(figureOf, { of: 'GET /api/topology', to: floor, limit: 3 }),
    ratio(figureOf, { of: withRights, to: plain, limit: 3 }),
  ],
}

interface Ratio {
  readonly of: string
  readonly to: string
  readonly limit: number
}

function ratio(figureOf: FigureOf, { of, to, limit }: Ratio): Goal {
  const value = figureOf(of, 'ms') / figureOf(to, 'ms')
  return { text: `${of} against ${to}, ratio`, value, limit, peer: { candidate: to, figure: 'ms' } }
}

async function candidatesOf(t: Scope): Promise<readonly Candidate[]> {
  const installation = await openInstallation(t, 'embedded', objects)
  const { own, cluster } = installation
  const group = '/apis/mesh.dev/v1alpha1'
  const lists = ['agentdeployments', ...kinds].map((kind) => `${group}/${kind}?limit=${objects}`)
  const candidate = (name: string, pool: Installation['own'], paths: readonly string[]): Candidate => ({
    name,
    run: async () => {
      const from = performance.now()
      for (let turn = 0; turn < turns; turn++) await Promise.all(paths.map((path) => read(installation, pool, path)))
      return { ms: (performance.now() - from) / turns }
    },
  })
  const candidates = [
    candidate(floor, cluster, lists),
    candidate('GET /api/topology', own, ['/api/topology']),
    candidate(plain, own, ['/api/agents?limit=200']),
    candidate(withRights, own, ['/api/agents?limit=200&include=can']),
    candidate('the first 20 of a prefix', own, ['/api/agents?limit=20&q=bench-004']),
    candidate('the newest 20', own, ['/api/agents?limit=20&order=newest']),
  ]
  // Compiling is a third of the cost of the first requests.
  for (let turn = 0; turn < 3; turn++) for (const one of candidates) await one.run()
  return candidates
}

async function read({ token }: Installation, pool: Installation['own'], path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const answer = await pool.calls.request({ method: 'GET', path, headers })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
  JSON.parse(text)
}
