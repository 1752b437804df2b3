import { MANAGER } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { FORMER_KEYS_ANNOTATION, KEYS_SECRET_SUFFIX } from '#schemas/names/labels.ts'
import { refIn } from '../owned/owner-reference.ts'
import type { AgentPod } from '../status/agent-pod.ts'
import type { WorkloadState } from '../status/read-workload.ts'
import { findOwn, ignore } from '../owned/apply-child.ts'
import { children } from '../owned/child-kinds.ts'

/** The workload of an agent, and whether the agent had no revision before: no former version of the platform ran it. */
export type FormerKeysState = WorkloadState & { readonly isNew: boolean }

/** Deletes the Secret with the key pair that an agent had before launchers were certified, once no pod needs it. */
export type RemoveFormerKeys = (agent: AgentDeploymentObject, state: FormerKeysState) => Promise<void>

/**
 * Creates the function. A pod of a former version that restarts needs the Secret as a volume, so it stays until the roll-out is over. It is deleted
 * by its reserved name without being read, once for each agent: an annotation of the agent's account records the deletion. A new agent has none, and a
 * deletion that fails would be a failure in the audit log of the cluster.
 */
export function createRemoveFormerKeys(cluster: Pick<KubeClient, 'delete' | 'list' | 'patch'>): RemoveFormerKeys {
  const done = new Set<string>()
  const withoutKeys = new Set<string>()
  return async (agent, { progress, pods, isNew }) => {
    const uid = agent.metadata.uid ?? ''
    if (isNew) withoutKeys.add(uid)
    const name = `${agent.metadata.name}${KEYS_SECRET_SUFFIX}`
    const isRollingOut = progress !== undefined && !progress.complete && progress.failure === undefined
    if (done.has(uid) || isRollingOut || pods.some((pod) => mounts(pod, name))) return
    const account = await findOwn(cluster, agent, 'ServiceAccount', agent.metadata.name)
    if (account?.metadata.annotations?.[FORMER_KEYS_ANNOTATION] !== 'deleted') {
      if (!withoutKeys.has(uid)) await cluster.delete(children.Secret, refIn(agent, name)).catch(ignore(404))
      if (account !== undefined) await markDeleted(cluster, agent)
    }
    done.add(uid)
    withoutKeys.delete(uid)
  }
}

// Server-side apply keeps annotations that the applied object does not have.
async function markDeleted(cluster: Pick<KubeClient, 'patch'>, agent: AgentDeploymentObject): Promise<void> {
  const body = { metadata: { annotations: { [FORMER_KEYS_ANNOTATION]: 'deleted' } } }
  await cluster
    .patch(
      children.ServiceAccount,
      refIn(agent, agent.metadata.name),
      { type: 'merge', body },
      { fieldManager: MANAGER },
    )
    .catch(ignore(403, 404, 409))
}

function mounts({ spec, status }: AgentPod, secretName: string): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  return !isOver && spec?.volumes?.some(({ secret }) => secret?.secretName === secretName) === true
}
