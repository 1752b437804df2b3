import type { ObjectRef, OwnerReference } from '#core/kube/client.ts'
import { parseLabel, parseRef } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/names/labels.ts'

/** Adds the owner reference of the agent: the object is deleted with it, and its changes reconcile the agent. */
export function ownerReference(agent: AgentDeploymentObject): OwnerReference {
  return {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    name: agent.metadata.name,
    uid: agent.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}

/** Whether an object belongs to this agent, by uid: a re-created agent owns nothing of its predecessor. */
export function isOwnedBy(
  object: { readonly metadata: { readonly ownerReferences?: readonly OwnerReference[] } },
  agent: AgentDeploymentObject,
): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.uid === agent.metadata.uid) === true
}

/** An object in the agent's namespace. */
export function refIn(agent: AgentDeploymentObject, name: string): ObjectRef {
  return parseRef({ namespace: agent.metadata.namespace ?? '', name })
}

/** Options of a list of the objects with the agent's label. */
export function listOptionsOf(agent: AgentDeploymentObject) {
  const namespace = parseLabel('metadata.namespace', agent.metadata.namespace ?? '')
  return { namespace, labelSelector: `${AGENT_LABEL}=${agent.metadata.name}` }
}
