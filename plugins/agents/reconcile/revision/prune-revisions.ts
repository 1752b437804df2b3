import type { KubeClient } from '#core/kube/client.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { controllerRevisions } from '../../contract/resources.ts'
import { newestOf } from '../../versions/revisions.ts'
import type { Revision } from '../../versions/revisions.ts'
import { ignore, removeChild } from '../owned/apply-child.ts'
import { configName, toLauncherConfig } from './launcher-config.ts'
import { refIn } from '../owned/owner-reference.ts'
import { revisionsToPrune } from './plan-revision.ts'
import type { RevisionData } from './plan-revision.ts'
import { listRevisions } from '../owned/list-revisions.ts'

/** Deletes the oldest revisions beyond the limit, with their configurations and Jobs. Returns the others. */
export async function pruneRevisions(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
): Promise<readonly Revision[]> {
  const limit = agent.spec.rollout?.revisionHistoryLimit ?? AGENT_DEFAULTS.revisionHistoryLimit
  const revisions = await listRevisions(cluster, agent)
  const newest = newestOf(revisions)?.metadata.name
  const inUse = new Set([status.currentRevision, status.candidateRevision, status.latestSuccessfulRevision, newest])
  const old = revisionsToPrune(revisions, limit, inUse)
  const left = revisions.filter((one) => !old.includes(one))
  const kept = new Set(left.map((one) => configOf(agent, one)))
  for (const revision of old) {
    const config = configOf(agent, revision)
    if (config !== undefined && !kept.has(config)) await removeChild(cluster, agent, 'ConfigMap', config)
    await removeChild(cluster, agent, 'Job', revision.metadata.name)
    await cluster.delete(controllerRevisions, refIn(agent, revision.metadata.name)).catch(ignore(404))
  }
  return left
}

function configOf(agent: AgentDeploymentObject, { data }: Revision): string | undefined {
  const { spec, resolved } = (data ?? {}) as Partial<RevisionData>
  if (spec === undefined || resolved === undefined) return undefined
  return configName(agent, toLauncherConfig(agent, { spec, resolved }))
}
