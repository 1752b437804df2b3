import type { KubeClient, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import type { AgentName } from '#schemas/delegates.ts'

type Reads = Pick<KubeClient, 'get'>

/** Reads an agent; undefined if it does not exist. */
export function findAgentObject(cluster: Reads, name: AgentName): Promise<AgentDeploymentObject | undefined> {
  return find<AgentDeploymentObject>(cluster, AgentDeployment, name)
}

/** Reads a registry; undefined if it does not exist. */
export function findRegistry(cluster: Reads, name: AgentName): Promise<AgentRegistryObject | undefined> {
  return find<AgentRegistryObject>(cluster, AgentRegistry, name)
}

async function find<O extends AgentDeploymentObject | AgentRegistryObject>(
  cluster: Reads,
  resource: Resource,
  { namespace, name }: AgentName,
): Promise<O | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get<O>(resource, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
