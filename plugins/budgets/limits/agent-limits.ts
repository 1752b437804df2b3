import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { RunsSystem } from '#plugins/runs/api.ts'
import { toSpendLimit } from '../money/spend-limit.ts'
import type { CallLimit, LimitSource } from '../points.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'

/** An agent as its holds need it. */
export interface BudgetedAgent {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly budget: AgentDeploymentObject['spec']['budget']
}

/** Limits of agents. */
export interface AgentLimits {
  /** The agent of a service account; undefined if it does not exist. */
  agent(namespace: string, name: string): Promise<BudgetedAgent | undefined>
  /**
   * Every limit on a call of an agent: its budget, the budget of the agent of the root run, and those of other plugins. Throws `not_found`
   * unless the run is one of the agent.
   */
  limitsOf(agent: BudgetedAgent, runId: string | null): Promise<readonly CallLimit[]>
  /** Whether a run that reaches the budget of the subject is paused. */
  pauses(limit: CallLimit): boolean
}

/** Where limits come from. */
export interface LimitOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly sources: () => readonly LimitSource[]
  readonly runs: RunsSystem | undefined
}

// A changed budget applies within this time. It is no permission: who calls is authenticated for each request.
const AGENT_TTL_MS = 5_000
// The agents of a run never change.
const RUN_TTL_MS = 600_000

/** Creates the limits of agents. */
export function createAgentLimits({ cluster, sources, runs }: LimitOptions): AgentLimits {
  const agents = createTtlCache<BudgetedAgent | undefined>(AGENT_TTL_MS)
  const agentsOfRuns = createTtlCache<Awaited<ReturnType<RunsSystem['agentsOf']>>>(RUN_TTL_MS)
  const pausing = new WeakSet<CallLimit>()
  const agent = (namespace: string, name: string): Promise<BudgetedAgent | undefined> =>
    agents(`${namespace}/${name}`, () => readAgent(cluster, namespace, name))

  const budgetOf = (of: BudgetedAgent): readonly CallLimit[] => {
    if (of.budget === undefined) return []
    const limit = toLimit(of, of.budget)
    if (of.budget.onExceed === 'pause') pausing.add(limit)
    return [limit]
  }
  const rootOf = async (of: BudgetedAgent, runId: string | null): Promise<BudgetedAgent | undefined> => {
    if (runId === null) return undefined
    const found = await agentsOfRuns(runId, async () => {
      const both = await runs?.agentsOf(runId)
      // Not remembered: a run may be stored later.
      if (both === undefined) throw new Fail('not_found')
      return both
    })
    if (found?.own.uid !== of.uid) throw new Fail('not_found')
    const { root } = found
    if (root === undefined || root.uid === of.uid) return undefined
    const read = await agent(root.namespace, root.name)
    return read?.uid === root.uid ? read : undefined
  }
  return {
    agent,
    limitsOf: async (of, runId) => {
      const root = await rootOf(of, runId)
      const others = await Promise.all(sources().map((source) => source.limitsOf(of.namespace)))
      return [...budgetOf(of), ...(root === undefined ? [] : budgetOf(root)), ...others.flat()]
    },
    pauses: (limit) => pausing.has(limit),
  }
}

/** The limit that the budget of an agent sets. */
export function toLimit(
  { namespace, name, uid }: Pick<BudgetedAgent, 'namespace' | 'name' | 'uid'>,
  budget: NonNullable<BudgetedAgent['budget']>,
): CallLimit {
  const subject = { kind: 'AgentDeployment', namespace, name, uid } as const
  return { subject, spend: toSpendLimit(budget) }
}

async function readAgent(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<BudgetedAgent | undefined> {
  const ref = { namespace: parseLabel('agent namespace', namespace), name: parseName('agent', name) }
  try {
    const { metadata, spec } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
    return { namespace, name, uid: metadata.uid ?? '', budget: spec.budget }
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
