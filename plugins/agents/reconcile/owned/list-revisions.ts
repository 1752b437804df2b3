import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { controllerRevisions } from '../../contract/resources.ts'
import type { Revision } from '../../versions/revisions.ts'
import { isOwnedBy, listOptionsOf } from './owner-reference.ts'

/** Lists the agent's own revisions. */
export async function listRevisions(cluster: KubeClient, agent: AgentDeploymentObject): Promise<Revision[]> {
  const page = await cluster.list<Revision>(controllerRevisions, listOptionsOf(agent))
  return page.items.filter((revision) => isOwnedBy(revision, agent))
}
