import { definePort } from '#launcher/contract/http/port.ts'
import type { RouteContract } from '#launcher/contract/http/port.ts'
import { anyObject, anyValue, flag, list, object, enumOf, optionalField, string } from '#schemas/wire/schema.ts'

const BODY_LIMIT = 256 * 1024

const offered = object({
  name: string(),
  title: optionalField(string()),
  description: optionalField(string()),
  inputSchema: anyObject,
  outputSchema: optionalField(anyObject),
  annotations: optionalField(anyObject),
  server: string(),
  requiresApproval: flag,
})

const ofTools = ['unknown_run', 'tools_unavailable', 'plugin_disabled', 'too_many_tool_calls'] as const

/** Routes of tools. */
export const discoveryRoutes = {
  health: {
    method: 'GET',
    path: '/healthz',
    summary: 'Liveness: the port is open. The backend is not probed.',
    responses: { 200: object({ status: enumOf('ok') }) },
  },
  tools: {
    method: 'GET',
    path: '/tools',
    summary: 'Lists the tools that the bindings of the agent provide.',
    responses: { 200: object({ items: list(offered) }) },
    refusals: ['tools_unavailable', 'plugin_disabled'],
  },
  call: {
    method: 'POST',
    path: '/tools/:name/call',
    summary: 'Calls a tool at its MCP server, once.',
    body: object({ arguments: optionalField(anyObject) }),
    responses: {
      200: object({ content: list(anyValue), structuredContent: optionalField(anyValue), isError: flag }),
    },
    refusals: [
      ...ofTools,
      'unknown_tool',
      'tool_changed',
      'tool_approval_required',
      'tool_auth_required',
      'tool_call_rejected',
      'tool_unavailable',
      'tool_result_refused',
      'tool_timeout',
    ],
  },
  mcp: {
    method: 'POST',
    path: '/mcp',
    summary: 'One message of MCP (Streamable HTTP, revisions 2025-06-18, 2025-11-25 and 2026-07-28).',
    body: anyObject,
    responses: { 200: anyObject, 202: null, 400: anyObject, 404: anyObject },
    refusals: ['unknown_run'],
  },
} as const satisfies Record<string, RouteContract>

/** Port 2999: tools of MCP servers. */
export const discoveryPort = definePort({ name: 'discovery', bodyLimit: BODY_LIMIT, routes: discoveryRoutes })
