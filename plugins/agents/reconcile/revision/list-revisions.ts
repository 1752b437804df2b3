import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import { controllerRevisions } from '../../resources.ts'
import type { Revision } from '../../versions/revisions.ts'
import { isOwnedBy } from '../owner-reference.ts'

/** Lists the agent's own revisions. */
export async function listRevisions(cluster: KubeClient, agent: AgentDeploymentObject): Promise<Revision[]> {
  const page = await cluster.list<Revision>(controllerRevisions, listOptionsOf(agent))
  return page.items.filter((revision) => isOwnedBy(revision, agent))
}

/** Options of a list of the objects with the agent's label. */
export function listOptionsOf(agent: AgentDeploymentObject) {
  const namespace = parseLabel('metadata.namespace', agent.metadata.namespace ?? '')
  return { namespace, labelSelector: `${AGENT_LABEL}=${agent.metadata.name}` }
}
