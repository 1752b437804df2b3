import type { Caller } from '#core/cluster/caller.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { ROLLBACK_ANNOTATION } from '#schemas/names/labels.ts'
import { checkAgent } from '../authoring/check-agent.ts'
import { readRevisions, specAt } from './revisions.ts'

const TRIES = 3

/** Restores an old spec and annotates the agent with its revision, with the caller's rights. */
export async function rollBack(
  caller: Caller,
  ref: Required<ObjectRef>,
  revision: number,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<AgentDeploymentObject> {
  for (let left = TRIES; ; left--) {
    const { agent, revisions } = await readRevisions(caller, ref, options.signal)
    const spec = specAt(agent, revisions, String(revision))
    await checkAgent(caller, { namespace: ref.namespace, spec }, options.signal)
    const patch = { type: 'json' as const, body: toRollbackPatch(agent, spec, revision) }
    try {
      return await caller.cluster.patch<AgentDeploymentObject>(AgentDeployment, ref, patch, {
        ...options,
        fieldManager: FIELD_MANAGER,
      })
    } catch (error) {
      if (!isStatus(error, 409) || left <= 1) throw error
    }
  }
}

/**
 * A JSON patch, since a merge patch would keep the fields that the old spec did not have; no resourceVersion, since a rollback must win over
 * concurrent changes. The number of replicas stays, except for a job, which has none. Pure.
 */
export function toRollbackPatch(
  { spec: now, metadata }: AgentDeploymentObject,
  spec: AgentDeploymentSpec,
  revision: number,
): object[] {
  const keepsScaling = now.scaling !== undefined && spec.executionModel !== 'job'
  return [
    { op: 'replace', path: '/spec', value: keepsScaling ? { ...spec, scaling: now.scaling } : spec },
    ...annotate(metadata, { [ROLLBACK_ANNOTATION]: String(revision) }),
  ]
}

// Without annotations all of them are added at once. The resource version then protects annotations that another writer adds meanwhile.
function annotate(metadata: AgentDeploymentObject['metadata'], added: Readonly<Record<string, string>>): object[] {
  if (metadata.annotations === undefined)
    return [
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'add', path: '/metadata/annotations', value: added },
    ]
  return Object.entries(added).map(([key, value]) => ({
    op: 'add',
    path: `/metadata/annotations/${key.replaceAll('/', '~1')}`,
    value,
  }))
}
