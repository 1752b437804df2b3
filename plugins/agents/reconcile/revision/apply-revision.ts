import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { controllerRevisions } from '../../contract/resources.ts'
import type { KubeEvent } from '../status/kube-events.ts'
import { RECONCILER_FIELD_MANAGER, NotOwned } from '../owned/apply-child.ts'
import { isOwnedBy, refIn } from '../owned/owner-reference.ts'
import type { RevisionPlan } from './plan-revision.ts'

/** Creates or raises the planned revision, so that it is the newest. Returns the Event of the change. */
export async function applyRevision(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  plan: RevisionPlan,
): Promise<KubeEvent[]> {
  if (plan.do === 'nothing') return []
  if (plan.do === 'create') {
    await createRevision(cluster, agent, plan.object)
    return [{ type: 'Normal', reason: 'RevisionCreated', message: `Revision ${plan.revision} is ${plan.name}.` }]
  }
  const body = { revision: plan.revision, metadata: { annotations: plan.annotations } }
  const ref = refIn(agent, plan.name)
  await cluster.patch(controllerRevisions, ref, { type: 'merge', body }, { fieldManager: RECONCILER_FIELD_MANAGER })
  return [{ type: 'Normal', reason: 'RevisionRestored', message: `${plan.name} is revision ${plan.revision} now.` }]
}

// Another manager may have created it first. An equal revision of an earlier agent of this name will be garbage-collected.
async function createRevision(cluster: KubeClient, agent: AgentDeploymentObject, revision: KubeObject): Promise<void> {
  try {
    await cluster.create(controllerRevisions, revision, { fieldManager: RECONCILER_FIELD_MANAGER })
  } catch (error) {
    if (!isStatus(error, 409)) throw error
    const live = await cluster.get<KubeObject>(controllerRevisions, refIn(agent, revision.metadata.name))
    if (!isOwnedBy(live, agent)) throw new NotOwned(live, agent)
  }
}
