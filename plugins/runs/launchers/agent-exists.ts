import type { Caller } from '#core/cluster/caller.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentExistence } from '../create/find-target.ts'
import { agentResource } from './agent-resource.ts'

// A slow cluster does not delay the wait for the index.
const readMs = 2_000

/** Reads with the caller's rights whether the cluster has an agent. The result is `unknown` on errors, and for callers who may not read it. */
export async function readAgentExistence(
  caller: Pick<Caller, 'cluster'>,
  agent: { readonly namespace: string; readonly name: string },
): Promise<AgentExistence> {
  const ref = parseRef(agent, ['agent namespace', 'agent'])
  try {
    await caller.cluster.get(agentResource, ref, { signal: AbortSignal.timeout(readMs) })
    return 'exists'
  } catch (error) {
    return isStatus(error, 404) ? 'absent' : 'unknown'
  }
}
