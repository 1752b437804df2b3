import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '#test/chaos/until.ts'
import { startAgentLog } from './agent-log.ts'
import type { AgentLog } from './agent-log.ts'
import { apiOf, at, condition } from './api.ts'
import type { Api } from './api.ts'
import { makeCaller } from './callers.ts'
import { addTeam, openClusterFixture } from './cluster-fixture.ts'
import type { Cluster } from './cluster.ts'
import { whatPodsSay } from './install.ts'
import { startSteadyRuns } from './steady-runs.ts'

const namespace = 'trials'
const name = 'bot'
// The third party owns the prompts here.
const plugin = {
  file: fileURLToPath(import.meta.resolve('../contract/plugins/trials/trials.ts')),
  settings: 'disable: [prompts]\n',
}
const HOLD = 'trials.acme.example/hold'
const patience = 240_000
// Runs on each state of the agent.
const enough = 40

test(
  'a held revision runs as a candidate under load, is promoted, and another one is refused',
  { timeout: 14 * 60_000 },
  async (t) => {
    const fixture = await openClusterFixture(t, process.env['MESH_TEST_CLUSTER'] ?? '', plugin)
    const { cluster } = fixture
    await addTeam(cluster, namespace)
    const api = apiOf(fixture.bffUrl, await makeCaller(cluster, 'alice', 'mesh-developer', namespace))
    const log = await startAgentLog(t, cluster.hostAddress)
    const site = { cluster, api, log }
    await promoteUnderLoad(site, () =>
      startSteadyRuns(t, api, { agent: { namespace, name }, input: { ms: 200 }, everyMs: 50 }),
    ).catch(async (error) => {
      const said = await Promise.all([namespace, 'mesh-system'].map((one) => whatPodsSay(cluster, one)))
      throw new Error([String(error), ...said].join('\n'), { cause: error })
    })
  },
)

interface Site {
  readonly cluster: Cluster
  readonly api: Api
  readonly log: AgentLog
}

async function promoteUnderLoad(site: Site, startRuns: () => ReturnType<typeof startSteadyRuns>): Promise<void> {
  await apply(site, 1)
  await serving(site, 1)
  const runs = startRuns()
  const more = async (what: string): Promise<void> => {
    const wanted = runs.accepted.length + enough
    await until(`more runs ${what}`, () => runs.accepted.length >= wanted, patience)
  }
  await more('before')
  await apply(site, 2, 'true')
  const tried = await candidate(site, 2)
  await more('while a revision is tried')
  assert.deepEqual(
    await podsOfTrials(site, [2, 2, 1]),
    [true, true, false].map((is) => (is ? tried : 'another pod')),
  )
  await apply(site, 2)
  await serving(site, 2)
  await more('after the promotion')
  await apply(site, 3, 'true')
  const worse = await candidate(site, 3)
  await more('while a worse revision is tried')
  await apply(site, 3, 'failed')
  await until('the refused candidate ends', async () => (await podsOfCandidates(site)).length === 0, patience)
  await more('after the refusal')
  const ended = await runs.ended()
  assert.deepEqual(new Set(ended.values()), new Set(['succeeded']), 'no run is lost')
  const calls = site.log.calls.filter(({ what, runId }) => what === 'invoke' && ended.has(runId))
  assert.equal(calls.length, ended.size, 'each run was invoked once')
  const candidates = new Set([tried, worse])
  assert.deepEqual(
    calls.filter(({ pod }) => candidates.has(pod)),
    [],
    'no run without a revision reaches a candidate',
  )
  const { body } = await site.api('GET', `/api/agents/${namespace}/${name}`)
  assert.deepEqual([condition(body, 'Ready'), condition(body, 'Tried')], ['True', 'True'], JSON.stringify(body))
  const last = String([...ended.keys()].at(-1))
  assert.equal(at((await site.api('GET', `/api/runs/${last}`)).body, 'agent', 'revision'), 2, 'the promoted one serves')
}

/** Applies a round of the agent, which is its revision, with the label of its gate. */
async function apply({ cluster, log }: Site, round: number, hold?: string): Promise<void> {
  const spec = {
    runtime: { command: log.command, env: [{ name: 'ROUND', value: String(round) }] },
    scaling: { replicas: 2 },
    limits: { concurrency: 100 },
    resources: { requests: { cpu: '50m' } },
  }
  const metadata = { namespace, name, ...(hold === undefined ? {} : { labels: { [HOLD]: hold } }) }
  const object = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata, spec }
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object))
}

async function serving({ api }: Site, revision: number): Promise<void> {
  await until(
    `revision ${revision} serves`,
    async () => {
      const { body } = await api('GET', `/api/agents/${namespace}/${name}`)
      const isCurrent = at(body, 'status', 'observedGeneration') === at(body, 'metadata', 'generation')
      const isAlone = at(body, 'status', 'candidateRevision') === undefined && condition(body, 'Progressing') !== 'True'
      const run = await started(api, '/api/runs', { agent: { namespace, name }, input: { ms: 1 } })
      return isCurrent && isAlone && condition(body, 'Ready') === 'True' && at(run, 'agent', 'revision') === revision
    },
    patience,
  )
}

/** The name of the pod of a ready candidate. */
async function candidate(site: Site, revision: number): Promise<string> {
  await until(
    `revision ${revision} is tried`,
    async () => {
      const { body } = await site.api('GET', `/api/agents/${namespace}/${name}`)
      const found = at(body, 'status', 'candidate')
      return at(found, 'number') === revision && at(found, 'pods', 0, 'ready') === true
    },
    patience,
  )
  const [pod, ...others] = await podsOfCandidates(site)
  assert.deepEqual(others, [])
  return pod ?? ''
}

async function podsOfCandidates({ cluster }: Site): Promise<readonly string[]> {
  const query = ['get', 'pods', '-l', `mesh.dev/candidate-of=${name}`, '-o', 'jsonpath={.items[*].metadata.name}']
  return (await cluster.kubectl(['-n', namespace, ...query])).split(' ').filter(Boolean)
}

/** Where runs that name their revision were invoked: the pod of the candidate, or another one. */
async function podsOfTrials(site: Site, revisions: readonly number[]): Promise<readonly string[]> {
  const candidates = await podsOfCandidates(site)
  return Promise.all(
    revisions.map(async (revision) => {
      const run = await started(site.api, '/api/x/trials/runs', { namespace, name, revision })
      assert.deepEqual([at(run, 'state'), at(run, 'agent', 'revision')], ['succeeded', revision], JSON.stringify(run))
      const pod = site.log.calls.find(({ runId }) => runId === at(run, 'id'))?.pod ?? ''
      return candidates.includes(pod) ? pod : 'another pod'
    }),
  )
}

/** Starts a run and waits for its end. */
async function started(api: Api, path: string, body: object): Promise<unknown> {
  const made = await api('POST', path, body)
  assert.equal(made.status, 201, JSON.stringify(made))
  const id = String(at(made.body, 'runId') ?? at(made.body, 'id'))
  let run: unknown
  await until(`run ${id} ends`, async () => {
    run = (await api('GET', `/api/runs/${id}`)).body
    return /^(succeeded|failed|timed_out|cancelled)$/.test(String(at(run, 'state')))
  })
  return run
}
