import { OwnedByOther, applyOwned } from '#core/controllers/apply-owned.ts'
import { MANAGER } from '#core/controllers/write-status.ts'
import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isOwnedBy, refIn } from '../owner-reference.ts'
import { children } from './child-kinds.ts'
import type { ChildKind } from './child-kinds.ts'

/** The field manager of everything that the reconciler writes. */
export const RECONCILER_FIELD_MANAGER = MANAGER

/** Thrown if an object of that name exists with another owner, or of an earlier agent of this name. It is left unchanged. */
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

/** Applies an object of the agent, unless it is as desired. Throws `NotOwned`. */
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

/** Deletes an object if it exists and belongs to the agent. */
export async function removeChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  kind: ChildKind,
  name: string,
): Promise<void> {
  const ref = refIn(agent, name)
  const live = await find(cluster, kind, ref)
  if (live === undefined || !isOwnedBy(live, agent)) return
  const { uid } = live.metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  await cluster.delete(children[kind], ref, { propagation: 'Background', ...preconditions }).catch(ignore(404, 409))
}

/** Reads an object. Returns undefined if it does not exist. */
export async function find<O extends KubeObject>(
  cluster: KubeClient,
  kind: ChildKind,
  ref: ObjectRef,
): Promise<O | undefined> {
  try {
    return await cluster.get<O>(children[kind], ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

/** Returns a handler that ignores errors with these statuses and rethrows all others. */
export function ignore(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (statuses.some((status) => isStatus(error, status))) return undefined
    throw error
  }
}
