import type { Handlers } from '#launcher/contract/http/port.ts'
import type { CallForAgent } from './agent-calls.ts'
import type { OfferedTool } from './offered-tool.ts'
import type { ToolSource } from './tool-source.ts'
import { createMcpEndpoint } from './mcp-endpoint.ts'
import type { discoveryRoutes } from './port.ts'

/** Handlers of port 2999. */
export function createDiscoveryHandlers(tools: ToolSource, call: CallForAgent): Handlers<typeof discoveryRoutes> {
  const answer = createMcpEndpoint({ tools, call })
  return {
    health: () => ({ status: 200, body: { status: 'ok' } }),
    tools: async () => ({ status: 200, body: { items: (await tools.current()).map(toItem) } }),
    call: async ({ request, response, params, body }) => {
      const { arguments: args = {} } = await body()
      return { status: 200, body: await call({ request, response }, params.name, args) }
    },
    mcp: async ({ request, response, body }) => {
      const answered = await answer({ request, response }, await body())
      return answered ?? { status: 202 }
    },
  }
}

function toItem({ timeoutMs: _timeout, digest: _digest, tool: _tool, ...item }: OfferedTool) {
  return item
}
