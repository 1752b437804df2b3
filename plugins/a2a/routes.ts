import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { A2aAgentCard, A2aRpcRequest, A2aRpcResponse } from '#schemas/api/a2a.ts'
import { anyValue } from '#schemas/api/common.ts'
import { shownAs } from '#schemas/values/shown-as.ts'
import { toAgentCard, toLegacyCard } from './card/agent-card.ts'
import { toRpcUrl } from './card/card-url.ts'
import { readExposed } from './card/read-agent.ts'
import { respondToRpc } from './methods/respond-to-rpc.ts'
import { writeRpcError } from './rpc/error-codes.ts'
import { isLegacyClient } from './rpc/version.ts'
import type { A2aServices } from './services/create-services.ts'

const example = {
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId: 'message-1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] } },
}

/** Routes of A2A, below `/api`. */
export function a2aRoutes(services: A2aServices): readonly AnyEndpoint[] {
  const { publicUrl } = services.settings
  const card = endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/a2a/.well-known/agent-card.json',
    id: 'getAgentCard',
    summary: 'Get the agent card of A2A: version 1.0 with the header A2A-Version, else version 0.3.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: A2aAgentCard },
    handle: async (call) => {
      const agent = await readExposed(call.caller, call.params)
      const url = toRpcUrl(publicUrl, call, call.params)
      call.reply.header('vary', 'a2a-version')
      return isLegacyClient(call.headers) ? toLegacyCard(agent, url) : toAgentCard(agent, url)
    },
  })
  const rpc = endpoint({
    method: 'POST',
    url: '/agents/:ns/:name/a2a',
    id: 'callAgentByA2a',
    docs: {
      examples: { message: { summary: 'A message', value: example } },
      sends: ['X-Mesh-Run-Id'],
      events: A2aRpcResponse,
    },
    summary: 'Call an agent over A2A 1.0: a JSON-RPC method, with a JSON response or a stream. Needs spec.a2a.expose.',
    authz: {
      kind: 'review',
      verb: 'create',
      resource: 'agentdeployments/invoke',
      namespace: { in: 'path', field: 'ns' },
      name: 'name',
    },
    audit: { action: 'invoke', resourceKind: 'AgentDeployment' },
    waits: true,
    body: shownAs(anyValue, A2aRpcRequest),
    response: { 200: A2aRpcResponse },
    writeError: writeRpcError,
    handle: (call) => respondToRpc(services, call),
  })
  return [card, rpc]
}
