import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Store } from '#core/event-store/store.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { TopologyMetrics } from '#schemas/api/topology.ts'
import type { RegistriesTables } from '../contract/tables.ts'
import { readCalls } from '../store/read-calls.ts'
import type { GraphObject } from './graph-kinds.ts'
import type { GraphCounts } from './to-graph.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What the counts are read from; without a store nothing is counted. */
export interface CountSources {
  readonly store: Store | undefined
  readonly runs: Pick<RunsApi, 'statsOfAgents'> | undefined
  readonly now: () => Date
}

/** Runs and calls of the agents in namespaces whose runs the caller may list. */
export async function readCounts(
  { store, runs, now }: CountSources,
  caller: Caller,
  objects: readonly GraphObject[],
): Promise<GraphCounts> {
  const agents = objects.filter(({ kind, object }) => kind === 'AgentDeployment' && object !== undefined)
  const namespaces = [...new Set(agents.map(({ namespace }) => namespace))]
  const reviewed = await mapConcurrently(namespaces, (namespace) =>
    caller.may('list', 'runs', { namespace: parseLabel('namespace', namespace) }),
  )
  const access = reviewed.filter((proof): proof is Access<'list', 'runs'> => proof !== undefined)
  const permitted = new Set<string>(access.map(({ namespace }) => namespace))
  const counted = agents
    .filter(({ namespace }) => permitted.has(namespace))
    .map(({ id, object }) => ({ id, uid: object?.metadata.uid ?? '' }))
  if (store === undefined || runs === undefined || counted.length === 0) return { calls: new Map(), metrics: new Map() }
  const to = now()
  const agentUids = counted.map(({ uid }) => uid)
  const since = (ms: number) => ({ from: new Date(to.getTime() - ms), to, bins: 1, agentUids })
  const [calls, hour, day] = await Promise.all([
    readCalls(store.reader<RegistriesTables>(), counted),
    runs.statsOfAgents(access, since(HOUR_MS)),
    runs.statsOfAgents(access, since(DAY_MS)),
  ])
  const toMetrics = (uid: string): TopologyMetrics => {
    const { runs: runs1h = 0, failed: failed1h = 0 } = hour.get(uid) ?? {}
    return { runs1h, failed1h, cost24h: day.get(uid)?.cost ?? null }
  }
  return { calls, metrics: new Map(counted.map(({ id, uid }) => [id, toMetrics(uid)])) }
}
