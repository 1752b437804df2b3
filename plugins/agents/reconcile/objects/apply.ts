import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isOwnedBy, refIn } from '../owner-reference.ts'
import { children } from './child-kinds.ts'
import type { ChildKind } from './child-kinds.ts'

/** The field manager of everything that the reconciler writes. */
export const RECONCILER_FIELD_MANAGER = 'mesh-manager'

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

/** Applies an object by server-side apply. Fields of other managers, such as the replica count of an autoscaler, are kept. */
export async function applyChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  object: KubeObject,
): Promise<KubeObject> {
  const resource = children[object.kind as ChildKind]
  const ref = refOf(object)
  const live = await find(cluster, object.kind as ChildKind, ref)
  if (live !== undefined && !isOwnedBy(live, agent)) throw new NotOwned(live, agent)
  return cluster.patch(
    resource,
    ref,
    { type: 'apply', body: object, force: true },
    { fieldManager: RECONCILER_FIELD_MANAGER },
  )
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

function refOf(object: KubeObject): ObjectRef {
  return {
    namespace: parseLabel('metadata.namespace', object.metadata.namespace ?? ''),
    name: parseName('metadata.name', object.metadata.name),
  }
}
