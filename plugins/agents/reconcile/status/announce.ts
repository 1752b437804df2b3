import { statusWritesOf } from '#core/controllers/foreign-status.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { toAcceptedStatus } from './agent-status.ts'
import type { Findings, StatusSettings } from './agent-status.ts'

/**
 * Writes the known status of a generation before its first object is created. An agent whose objects are never created then shows it, even if the
 * manager ends meanwhile. Returns the updated agent; undefined if it was changed since it was read.
 */
export async function announce(
  cluster: KubeClient,
  found: Findings,
  settings: StatusSettings,
  now: Date,
): Promise<AgentDeploymentObject | undefined> {
  const { agent } = found
  if (isAnnounced(agent)) return agent
  const status = toAcceptedStatus(found, settings, now)
  if (!(await writeStatus(cluster, AgentDeployment, agent, status))) return undefined
  const resourceVersion = statusWritesOf(cluster).get(agent.metadata.uid ?? '') ?? agent.metadata.resourceVersion
  return { ...agent, metadata: { ...agent.metadata, ...(resourceVersion && { resourceVersion }) }, status }
}

function isAnnounced({ metadata, status }: AgentDeploymentObject): boolean {
  const accepted = status?.conditions?.find(({ type }) => type === 'Accepted')
  return accepted !== undefined && accepted.observedGeneration === metadata.generation
}
