import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { GatewayCall } from '../request/gateway-call.ts'
import { toModelEntry } from './list-models.ts'
import type { ModelEntry } from './list-models.ts'
import { readRoute } from './usable-route.ts'
import { parseModel, unknownModel } from '../request/model-name.ts'

/** `GET /v1/models/{id}`, under the right to use the model. Throws `model_not_found`, or the cluster's 403. */
export async function getModel(call: GatewayCall, id: string): Promise<ModelEntry> {
  const model = parseModel(id, call.namespace)
  const { principal, gateway } = call
  if (model.kind === 'route') return toModelEntry('route', await readRoute(gateway, principal, model))
  if (principal.kind === 'pod') throw unknownModel(model)
  const { namespace, name } = model
  await principal.caller.review('create', 'agentdeployments/invoke', { namespace, name })
  const agent = await principal.caller.cluster.get(AgentDeployment, { namespace, name }).catch((error: unknown) => {
    throw isStatus(error, 404) ? unknownModel(model) : error
  })
  return toModelEntry('agent', agent)
}
