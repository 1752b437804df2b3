import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { ROLLBACK_ANNOTATION } from '#schemas/names/labels.ts'
import { checkAgent } from '../authoring/check-agent.ts'
import { pinnedSpec, readRevisions, revisionAt, specAt, withoutScaling } from './revisions.ts'
import type { Revision } from './revisions.ts'

// The controller writes the status of an agent that was changed just now several times in a row.
const TRIES = 10
const pauses = { minMs: 10, maxMs: 200 }

/** Restores an old spec and annotates the agent with its revision, with the caller's rights. */
export async function rollBack(
  caller: Caller,
  ref: Required<ObjectRef>,
  revision: number,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<AgentDeploymentObject> {
  const { agent, revisions } = await readRevisions(caller, ref, options.signal)
  const spec = specToRestore(agent, revisions, String(revision))
  await checkAgent(caller, { namespace: ref.namespace, spec }, options.signal)
  for (let [now, failures] = [agent, 0]; ;) {
    const patch = { type: 'json' as const, body: toRollbackPatch(now, spec, revision) }
    try {
      return await caller.cluster.patch<AgentDeploymentObject>(AgentDeployment, ref, patch, {
        ...options,
        fieldManager: FIELD_MANAGER,
      })
    } catch (error) {
      if (!isStatus(error, 409) || ++failures === TRIES) throw error
      await sleep(backoffMs(failures - 1, pauses), options.signal)
      now = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal: options.signal })
      // An agent of the same name that was created meanwhile has other revisions.
      if (now.metadata.uid !== agent.metadata.uid) throw error
    }
  }
}

/** The spec of a revision. If a label of its prompt has moved since, the version is named instead: the rollback is to what ran. Pure. */
export function specToRestore(
  agent: AgentDeploymentObject,
  revisions: readonly Revision[],
  number: string,
): AgentDeploymentSpec {
  const spec = specAt(agent, revisions, number)
  const target = revisionAt(revisions, number)
  const [then, now] = [target, revisions[0]].map((one) => one?.data?.resolved?.prompt)
  const isMoved = then !== undefined && (now?.name !== then.name || now.version !== then.version)
  const pinned = target !== undefined && isMoved ? pinnedSpec(target) : undefined
  return pinned === undefined ? spec : withoutScaling(pinned)
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
