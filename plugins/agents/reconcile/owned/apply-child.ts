import { OwnedByOther, applyOwned } from '#core/controllers/apply-owned.ts'
import { MANAGER } from '#core/controllers/write-status.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isOwnedBy, listOptionsOf, refIn } from './owner-reference.ts'
import { children } from './child-kinds.ts'
import type { ChildKind } from './child-kinds.ts'

/** The field manager of everything that the reconciler writes. */
export const RECONCILER_FIELD_MANAGER = MANAGER

/** Thrown if an object of that name exists with another owner, or belongs to an earlier agent of this name. It is left unchanged. */
export class NotOwned extends Error {
  readonly reason: 'NameConflict' | 'OldObjectsRemain'
  constructor(live: KubeObject, agent: AgentDeploymentObject) {
    const { name } = agent.metadata
    const earlier = live.metadata.ownerReferences?.some((one) => one.kind === AgentDeployment.kind && one.name === name)
    const why =
      earlier === true
        ? 'belongs to an earlier agent of this name and is being deleted'
        : 'does not belong to this agent'
    super(`${live.kind} ${live.metadata.name} exists and ${why}.`)
    this.name = 'NotOwned'
    this.reason = earlier === true ? 'OldObjectsRemain' : 'NameConflict'
  }
}

/** Applies an object of the agent, unless it already has the desired state. Throws `NotOwned`. */
export async function applyChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  object: KubeObject,
): Promise<KubeObject> {
  const resource = children[object.kind as ChildKind]
  const { apiVersion, kind } = AgentDeployment
  try {
    return (await applyOwned({ cluster, owner: { ...agent, apiVersion, kind }, resource, object })).object
  } catch (error) {
    throw error instanceof OwnedByOther ? new NotOwned(error.live, agent) : error
  }
}

/** Deletes an object if it belongs to the agent and has its label. */
export async function removeChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  kind: ChildKind,
  name: string,
): Promise<void> {
  const live = await findOwn(cluster, agent, kind, name)
  if (live === undefined) return
  const { uid } = live.metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  await cluster
    .delete(children[kind], refIn(agent, name), { propagation: 'Background', ...preconditions })
    .catch(ignore(404, 409))
}

/** Finds an object that the agent owns and that has its label. Uses a list, which is served from memory even if the object does not exist. */
export async function findOwn<O extends KubeObject>(
  cluster: Pick<KubeClient, 'list'>,
  agent: AgentDeploymentObject,
  kind: ChildKind,
  name: string,
): Promise<O | undefined> {
  const { items } = await cluster.list<O>(children[kind], listOptionsOf(agent))
  return items.find((one) => one.metadata.name === name && isOwnedBy(one, agent))
}

/** Returns a handler that ignores errors with these statuses and rethrows all others. */
export function ignore(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (statuses.some((status) => isStatus(error, status))) return undefined
    throw error
  }
}
