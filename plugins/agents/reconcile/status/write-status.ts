import { canonicalJson } from '#core/json/canonical-json.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { refIn } from '../owner-reference.ts'

/** Writes a changed status. Returns false if the object was replaced: its successor of the same name must not receive it. */
export async function writeStatus(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
): Promise<boolean> {
  if (canonicalJson(status) === canonicalJson(agent.status ?? {})) return true
  const gone = Object.keys(agent.status ?? {}).filter((key) => !(key in status))
  const { name, resourceVersion } = agent.metadata
  const body = {
    metadata: { resourceVersion },
    status: { ...Object.fromEntries(gone.map((key) => [key, null])), ...status },
  }
  try {
    await cluster.patch(AgentDeployment, refIn(agent, name), { type: 'merge', body }, { subresource: 'status' })
    return true
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 404)) return false
    throw error
  }
}
