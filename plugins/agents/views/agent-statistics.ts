import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { AgentStats, RunsApi } from '#plugins/runs/contract/api.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** Window of statistics. */
export interface StatisticsWindow {
  readonly windowMs: number
  readonly bins: number
  readonly now: Date
}

/**
 * Statistics of agents by uid, in the namespaces whose runs the caller may list. An agent of another namespace has none. Throws `not_wired` without
 * runs.
 */
export async function readStatistics(
  runs: Pick<RunsApi, 'statsOfAgents'> | undefined,
  caller: Caller,
  agents: readonly AgentDeploymentObject[],
  { windowMs, bins, now }: StatisticsWindow,
): Promise<ReadonlyMap<string, AgentStats>> {
  if (runs === undefined)
    throw new Fail('not_wired', 'Statistics need the plugin runs and the store (setting "databaseUrl").')
  const namespaces = [...new Set(agents.map(({ metadata: { namespace = '' } }) => namespace))]
  const proofs = await mapConcurrently(namespaces, (namespace) =>
    caller.may('list', 'runs', { namespace: parseLabel('namespace', namespace) }),
  )
  const access = proofs.filter((proof): proof is Access<'list', 'runs'> => proof !== undefined)
  const permitted = new Set<string>(access.map(({ namespace }) => namespace))
  const uids = agents.flatMap(({ metadata: { namespace = '', uid } }) =>
    permitted.has(namespace) && uid !== undefined ? [uid] : [],
  )
  if (uids.length === 0) return new Map()
  const window = { from: new Date(now.getTime() - windowMs), to: now, bins, agentUids: uids }
  const found = await runs.statsOfAgents(access, window)
  return new Map(uids.map((uid) => [uid, found.get(uid) ?? withoutRuns(bins)]))
}

function withoutRuns(bins: number): AgentStats {
  const empty = Array.from({ length: bins }, () => ({ ok: 0, failed: 0 }))
  return { runs: 0, failed: 0, p50Ms: null, p95Ms: null, cost: null, tokens: 0, bins: empty }
}
