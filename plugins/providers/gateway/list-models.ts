import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { GatewayCall } from './gateway-call.ts'
import { kubeResource } from './kube-resource.ts'

/** An entry of `GET /v1/models`. */
export interface ModelEntry {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
}

const pageSize = 500

/**
 * The routes of one namespace, and the agents where the caller may list them: a person's list is made as the caller, a
 * pod's in its own namespace by the gateway.
 */
export async function listModels({ principal, gateway, namespace: name }: GatewayCall): Promise<readonly ModelEntry[]> {
  const cluster = principal.kind === 'person' ? principal.caller.cluster : gateway.cluster
  const namespace = parseLabel('namespace', principal.kind === 'person' ? name : principal.namespace)
  const routes = await cluster.list(kubeResource(ModelRoute), { namespace, limit: pageSize })
  const agents = principal.kind === 'person' ? await agentsIn(cluster, namespace) : []
  return [...routes.items.map((route) => toEntry('', route)), ...agents.map((agent) => toEntry('agent/', agent))]
}

async function agentsIn(cluster: KubeClient, namespace: ReturnType<typeof parseLabel>): Promise<readonly KubeObject[]> {
  try {
    return (await cluster.list(kubeResource(AgentDeployment), { namespace, limit: pageSize })).items
  } catch (error) {
    if (isStatus(error, 403)) return []
    throw error
  }
}

function toEntry(prefix: string, { metadata }: KubeObject): ModelEntry {
  const namespace = metadata.namespace ?? ''
  const created = Math.floor(Date.parse(metadata.creationTimestamp ?? '1970-01-01T00:00:00Z') / 1000)
  return { id: `${prefix}${namespace}/${metadata.name}`, object: 'model', created, owned_by: namespace }
}
