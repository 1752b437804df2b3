import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { EvalResults, EvalResultsQuery } from '#schemas/api/evaluations.ts'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { isAtLeast } from '../contract/format/is-at-least.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { readEvaluations } from '../store/evaluations.ts'
import { readOverrides } from '../store/overrides.ts'
import { countCases, readCaseResults, readMeans } from '../store/results.ts'
import type { CaseResultRow } from '../store/results.ts'
import { toEvaluation } from './to-evaluation.ts'

const HISTORY = 50
const CASES = 200

/** `GET /api/evalsuites/{ns}/{name}/results`. */
export function resultsEndpoint(services: EvalsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/evalsuites/:ns/:name/results',
    id: 'getEvalSuiteResults',
    summary: 'Get the results of the newest evaluation by a suite, and of those before it.',
    authz: {
      kind: 'review',
      verb: 'get',
      resource: 'evalresults',
      namespace: { in: 'path', field: 'ns' },
      name: 'name',
    },
    query: EvalResultsQuery,
    response: { 200: EvalResults },
    handle: async ({ access, params: { name }, query, caller }) => {
      const suite = await services.core.observed.find(EvalSuite.kind, access.namespace, name, 1_000)
      if (suite === undefined) throw new Fail('not_found')
      return readResults(services, { suiteUid: suite.uid, caller, query })
    },
  })
}

interface ResultsRequest {
  readonly suiteUid: string
  readonly caller: Caller
  readonly query: {
    readonly agent?: string
    readonly revision?: number
    readonly limit?: number
    readonly after?: string
  }
}

async function readResults({ store }: EvalsServices, request: ResultsRequest): Promise<EvalResultsView> {
  const { suiteUid, caller, query } = request
  const { agent, revision, limit = CASES, after } = query
  const db = store.reader<EvalTables>()
  const found = await readEvaluations(db, { suiteUid, agent }, HISTORY)
  const newest = revision === undefined ? found[0] : (await readEvaluations(db, { suiteUid, agent, revision }, 1))[0]
  const history = await toHistory(store, found, await servingOf(caller, found))
  if (newest === undefined) return { ...nothingScored, history }
  const baseline = await findBaseline(store, newest)
  const [means, counts, rows] = await Promise.all([
    readMeans(db, newest.id),
    countCases(db, [newest.id]),
    readCaseResults(db, { id: newest.id, baselineId: baseline?.id }, { limit: limit + 1, after }),
  ])
  const allowed = newest.suite_spec.baseline?.maxRegression ?? 0
  return {
    evaluation: toEvaluation(newest, counts.get(newest.id)),
    revision: newest.revision,
    phase: newest.phase,
    score: newest.score,
    baselineScore: newest.baseline_score,
    evaluators: newest.suite_spec.evaluators.map(({ name, type, weight = 1 }) => {
      return { name, type, weight, score: means.evaluators.get(name) ?? null }
    }),
    cases: rows.slice(0, limit).map((row) => toCase(row, allowed)),
    next: rows.length > limit ? (rows[limit - 1]?.case_id ?? null) : null,
    history,
  }
}

const nothingScored = {
  evaluation: null,
  revision: null,
  phase: null,
  score: null,
  baselineScore: null,
  evaluators: [],
  cases: [],
  next: null,
} as const satisfies Omit<EvalResultsView, 'history'>

function toCase(row: CaseResultRow, allowed: number): EvalResultsView['cases'][number] {
  const { score, baseline } = row
  return {
    caseId: row.case_id,
    inputDigest: row.input_digest,
    passed: row.error === null ? row.passed : null,
    score,
    scores: [...(row.scores ?? [])],
    runIds: [...row.run_ids],
    baselineScore: baseline,
    baselineRunIds: [...(row.baseline_run_ids ?? [])],
    error: row.error,
    regression: score !== null && baseline !== null && !isAtLeast(score, baseline - allowed),
  }
}

async function findBaseline(
  { reader }: EvalsServices['store'],
  { suite_uid: suiteUid, agent_uid: agentUid, baseline_revision: revision, dataset }: SelectedEvaluation,
): Promise<SelectedEvaluation | undefined> {
  if (revision === null) return undefined
  const found = await readEvaluations(reader<EvalTables>(), { suiteUid, agentUid, revision, scored: true }, 20)
  return found.find((one) => one.dataset?.digest === dataset?.digest)
}

// As the caller: without the right to read an agent, none of its revisions is shown as deployed.
async function servingOf(caller: Caller, found: readonly SelectedEvaluation[]): Promise<ReadonlySet<string>> {
  const agents = [...new Map(found.map((one) => [one.agent, one])).values()].slice(0, 16)
  const serving = await Promise.all(
    agents.map(async ({ namespace, agent }) => {
      const ref = { namespace: parseLabel('namespace', namespace), name: parseName('agent', agent) }
      const live = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref).catch((error: unknown) => {
        if (isStatus(error, 403) || isStatus(error, 404)) return undefined
        throw error
      })
      return live?.status?.currentRevision === undefined ? [] : [`${live.metadata.uid} ${live.status.currentRevision}`]
    }),
  )
  return new Set(serving.flat())
}

async function toHistory(
  store: EvalsServices['store'],
  found: readonly SelectedEvaluation[],
  serving: ReadonlySet<string>,
): Promise<EvalResultsView['history']> {
  const uids = [...new Set(found.map(({ agent_uid: uid }) => uid))]
  const overrides = await readOverrides(store.reader<EvalTables>(), uids)
  const overridden = new Set(overrides.map(({ agent_uid: uid, revision }) => `${uid} ${revision}`))
  return found.map((one) => ({
    evaluationId: one.id,
    agent: one.agent,
    revision: one.revision,
    score: one.score,
    phase: one.phase,
    finishedAt: one.finished_at?.toISOString() ?? null,
    deployed: serving.has(`${one.agent_uid} ${one.revision_name}`),
    overridden: overridden.has(`${one.agent_uid} ${one.revision}`),
  }))
}
