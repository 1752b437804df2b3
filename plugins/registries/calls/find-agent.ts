import { findNamedObject } from '#core/kube/find-named-object.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import type { AgentName } from '#schemas/names/delegates.ts'

type Reads = Pick<KubeClient, 'get'>

/** Reads an agent; undefined if it does not exist. */
export function findAgentObject(cluster: Reads, name: AgentName): Promise<AgentDeploymentObject | undefined> {
  return findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, name)
}

/** Reads a registry; undefined if it does not exist. */
export function findRegistry(cluster: Reads, name: AgentName): Promise<AgentRegistryObject | undefined> {
  return findNamedObject<AgentRegistryObject>(cluster, AgentRegistry, name)
}
