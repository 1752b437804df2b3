import { Fail } from '#core/errors/domain-error.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentAbove, RunsSystem } from '#plugins/runs/contract/api.ts'
import { toSpendLimit } from '../contract/spend-limit.ts'
import type { CallLimit, LimitSource } from '../contract/points.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'

/** The fields of an agent that holds need. */
export type BudgetedAgent = Pick<CallingAgent, 'namespace' | 'name' | 'uid'> & {
  readonly spec: Pick<AgentDeploymentObject['spec'], 'budget'>
}

/** Limits of agents. */
export interface AgentLimits {
  /**
   * Every limit on a call of an agent: its budget, the budgets of agents of all runs above, and limits of other plugins. Without a run: the runs
   * above all runs that the agent executes now. Throws `not_found` unless the run belongs to the agent.
   */
  limitsOf(agent: BudgetedAgent, runId: string | null): Promise<readonly CallLimit[]>
  /** Whether a run that reaches the budget of the subject is paused. */
  pauses(limit: CallLimit): boolean
}

/** Sources of limits. */
export interface LimitOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly sources: () => readonly LimitSource[]
  readonly runs: Pick<RunsSystem, 'agentsAbove'> | undefined
}

// A changed budget applies within this time. It is not a permission: the caller is authenticated for each request.
const AGENT_TTL_MS = 5_000
// The agents of a run never change.
const RUN_TTL_MS = 600_000

/** Creates the limits of agents. */
export function createAgentLimits({ cluster, sources, runs }: LimitOptions): AgentLimits {
  const agents = createTtlCache<BudgetedAgent | undefined>(AGENT_TTL_MS)
  const ofRuns = createTtlCache<readonly AgentAbove[]>(RUN_TTL_MS)
  const pausing = new WeakSet<CallLimit>()
  const agent = (namespace: string, name: string): Promise<BudgetedAgent | undefined> =>
    agents(`${namespace}/${name}`, () => readAgent(cluster, namespace, name))

  const budgetOf = (of: BudgetedAgent): readonly CallLimit[] => {
    const { budget } = of.spec
    if (budget === undefined) return []
    const limit = toLimit(of, budget)
    if (budget.onExceed === 'pause') pausing.add(limit)
    return [limit]
  }
  const agentsAbove = async ({ uid }: BudgetedAgent, runId: string | null): Promise<readonly AgentAbove[]> => {
    // Not cached without a run: runs begin and end.
    if (runId === null) return (await runs?.agentsAbove(uid, undefined)) ?? []
    return ofRuns(`${uid}/${runId}`, async () => {
      const found = await runs?.agentsAbove(uid, runId)
      // Not cached: the run may be stored later.
      if (found === undefined) throw new Fail('not_found')
      return found
    })
  }
  const budgetsAbove = async (of: BudgetedAgent, runId: string | null): Promise<readonly CallLimit[]> => {
    const above = await Promise.all(
      (await agentsAbove(of, runId)).map(async ({ namespace, name, uid }) => {
        const read = await agent(namespace, name)
        return read?.uid === uid ? budgetOf(read) : []
      }),
    )
    return above.flat()
  }
  return {
    limitsOf: async (of, runId) => {
      const above = await budgetsAbove(of, runId)
      const others = await Promise.all(sources().map((source) => source.limitsOf(of.namespace)))
      return [...budgetOf(of), ...above, ...others.flat()]
    },
    pauses: (limit) => pausing.has(limit),
  }
}

/** The limit that the budget of an agent sets. */
export function toLimit(
  { namespace, name, uid }: Pick<BudgetedAgent, 'namespace' | 'name' | 'uid'>,
  budget: NonNullable<BudgetedAgent['spec']['budget']>,
): CallLimit {
  const subject = { kind: 'AgentDeployment', namespace, name, uid } as const
  return { subject, spend: toSpendLimit(budget) }
}

async function readAgent(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<BudgetedAgent | undefined> {
  const found = await findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, { namespace, name })
  return found && { namespace, name, uid: found.metadata.uid ?? '', spec: found.spec }
}
