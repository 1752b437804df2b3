import type { Resource } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'

/** The resource of agents in the Kubernetes API. */
export const agentResource: Resource = {
  group: AgentDeployment.group,
  version: AgentDeployment.version,
  plural: AgentDeployment.plural,
  kind: AgentDeployment.kind,
  namespaced: true,
}
