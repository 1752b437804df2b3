import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { AgentStatistics } from '#schemas/api/agent-views.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

type ListedAgent = AgentDeploymentObject & { readonly stats?: AgentStatistics }

const table: ResourceTable<ListedAgent> = {
  name: ({ metadata }) => `agent/${metadata.namespace}/${metadata.name}`,
  columns: {
    NAMESPACE: ({ metadata }) => metadata.namespace,
    NAME: ({ metadata }) => metadata.name,
    READY: ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status,
    RUNS: ({ stats }) => stats?.runs,
    FAILED: ({ stats }) => stats?.failed,
    LATENCY: ({ stats }) => (typeof stats?.p95Ms === 'number' ? `${Math.round(stats.p95Ms)}ms` : undefined),
    COST: ({ stats }) => (stats?.cost ? `${stats.cost.amount} ${stats.cost.currency}` : undefined),
    AGE: ({ metadata }) => metadata.creationTimestamp && new Date(metadata.creationTimestamp),
  },
  wide: { TOKENS: ({ stats }) => stats?.tokens, ROUTE: ({ spec }) => spec.model?.route },
}

interface AgentListValues {
  readonly limit: number
  readonly name: string | undefined
  readonly order: string | undefined
  readonly window: string | undefined
}

/** Lists agents. */
export async function listAgents({ api, scope, values, printer }: ApiInput<AgentListValues>): Promise<number> {
  const { limit, name: q, order, window } = values
  const query = { ...scope, q, order, window, include: 'stats', bins: '1' }
  await printer.list(table, await api.list<ListedAgent>(['agents'], query, limit))
  return 0
}
