import type { Caller } from '#core/cluster/caller.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { agentResource } from './agent-resource.ts'

// A cluster that is slow does not hold back the wait for the index.
const readMs = 2_000

/** Whether the cluster has an agent, read as the caller. Without a decision, and for callers who may not read it, it may exist. */
export async function agentMayExist(
  caller: Pick<Caller, 'cluster'>,
  agent: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const ref = { namespace: parseLabel('agent namespace', agent.namespace), name: parseName('agent', agent.name) }
  try {
    await caller.cluster.get(agentResource, ref, { signal: AbortSignal.timeout(readMs) })
    return true
  } catch (error) {
    return !isStatus(error, 404)
  }
}
