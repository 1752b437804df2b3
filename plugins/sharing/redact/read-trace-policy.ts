import type { Caller } from '#core/cluster/caller.ts'
import { parseName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import type { RunSnapshot } from '#plugins/runs/contract/api.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { TracePolicy } from './effective-redaction.ts'

/** The trace policy of the agent of a run, read with the caller's rights. By uid: the policy of a re-created agent applies to its own runs only. */
export async function readTracePolicy(
  { cluster }: Pick<Caller, 'cluster'>,
  { found: { namespace, agent }, agentUid }: Pick<RunSnapshot, 'found' | 'agentUid'>,
): Promise<TracePolicy> {
  if (agent === null) return 'none'
  try {
    const name = parseName('name', agent)
    const { metadata, spec } = await cluster.get<AgentDeploymentObject>(AgentDeployment, { namespace, name })
    return metadata.uid === agentUid ? (spec.tracePolicy ?? 'none') : 'unreadable'
  } catch (error) {
    if (error instanceof KubeError && (error.status === 403 || error.status === 404)) return 'unreadable'
    throw error
  }
}
