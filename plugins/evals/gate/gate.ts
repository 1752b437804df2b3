import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AgentTrigger, GateCandidate, GateHold } from '#plugins/agents/contract/points.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'
import { readOfRevision } from '../store/gate-state.ts'
import { listGatedAgents } from '../start/start-gated.ts'

const CONDITION = 'EvalGated'

/**
 * Holds a revision of an agent with a gate until an evaluation by its suite has passed, or a person has overridden the gate. It decides by rows of the
 * store alone, so that a restart changes nothing. A revision that passed once needs no further evaluation.
 */
export function createEvalGate({ store }: { readonly store: Store }) {
  return async (
    { agent, revision }: GateCandidate,
    cluster: Pick<KubeClient, 'get'>,
  ): Promise<GateHold | undefined> => {
    const { evalGate: gate } = agent.spec
    if (gate === undefined) return undefined
    const { namespace = '', uid = '' } = agent.metadata
    const suite = await findSuite(cluster, namespace, gate.suiteRef.name)
    if (suite === undefined) return hold('SuiteNotFound', `There is no suite ${namespace}/${gate.suiteRef.name}.`)
    if (suite.spec.mode === 'warn') return undefined
    const candidate = agent.status?.candidate
    const number = candidate?.revision === revision ? candidate.number : undefined
    const state = await readOfRevision(
      store.reader<EvalTables>(),
      { agentUid: uid, revision, number },
      suite.metadata.uid,
    )
    if (state.overridden) return undefined
    return state.newest === undefined ? waiting(suite, revision) : holdOf(state.newest, revision)
  }
}

/** Reconciles the gated agents of a suite when it or its newest evaluation changes. */
export const suiteTrigger: AgentTrigger = {
  name: 'evals.suites',
  resource: EvalSuite,
  agentsOf: async (suite, cluster) => {
    const agents = await listGatedAgents(cluster, suite as EvalSuiteObject)
    return agents.map(({ metadata: { namespace = '', name } }) => ({
      namespace: parseLabel('namespace', namespace),
      name: parseName('name', name),
    }))
  },
}

function waiting({ metadata: { name }, status }: EvalSuiteObject, revision: string): GateHold {
  const refused = status?.conditions?.find(({ type, status: is }) => type === 'Accepted' && is === 'False')
  const why = refused === undefined ? '.' : `: the suite ${name} is not accepted: ${refused.message}`
  return hold('Pending', `${revision} waits for its evaluation${why}`)
}

function holdOf(newest: SelectedEvaluation, revision: string): GateHold | undefined {
  const { phase, suite, message, id } = newest
  if (phase === 'Passed') return undefined
  if (phase === 'Pending' || phase === 'Running') return hold(phase, `${revision} is evaluated by ${suite} (${id}).`)
  return hold(phase, `${message ?? 'The evaluation has no result.'} ${revision} was evaluated by ${suite} (${id}).`)
}

function hold(reason: string, message: string): GateHold {
  return { condition: CONDITION, reason, message, candidate: true }
}

/** Finds the suite of a gate. */
export async function findSuite(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<EvalSuiteObject | undefined> {
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('suiteRef.name', name) }
  return cluster.get<EvalSuiteObject>(EvalSuite, ref).catch((error: unknown) => {
    if (isStatus(error, 404)) return undefined
    throw error
  })
}
