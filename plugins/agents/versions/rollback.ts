import type { Caller } from '#core/cluster/caller.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/group.ts'
import { checkAgent } from '../authoring/check-agent.ts'
import { readRevisions, specAt } from './revisions.ts'

/** Restores an old spec, read and written as the caller. */
export async function rollBack(
  caller: Caller,
  ref: Required<ObjectRef>,
  revision: number,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<AgentDeploymentObject> {
  const { agent, revisions } = await readRevisions(caller, ref, options.signal)
  const spec = specAt(agent, revisions, String(revision))
  await checkAgent(caller, { namespace: ref.namespace, spec }, options.signal)
  const body = toRollbackPatch(agent, spec)
  return caller.cluster.patch<AgentDeploymentObject>(
    AgentDeployment,
    ref,
    { type: 'json', body },
    { ...options, fieldManager: FIELD_MANAGER },
  )
}

/**
 * A JSON patch, since a merge patch would keep the fields that the old spec did not have; no resourceVersion, since a
 * rollback is meant to win. The number of replicas stays, except for a job, which has none. Pure.
 */
export function toRollbackPatch({ spec: now }: AgentDeploymentObject, spec: AgentDeploymentSpec): object[] {
  const keepsScaling = now.scaling !== undefined && spec.executionModel !== 'job'
  return [{ op: 'replace', path: '/spec', value: keepsScaling ? { ...spec, scaling: now.scaling } : spec }]
}
