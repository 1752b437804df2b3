import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const mcpSettings = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description:
        'Whether MCP servers are registered and their catalogs read over the API (setting bff.mcp.enabled). Otherwise these routes are 501: POST ' +
        '/api/mcpservers, /api/mcp/connect, /api/mcp/publish and /api/mcp/org-credential, and GET /api/tools, /api/catalog and /api/mcp/connectors. ' +
        'Existing servers work as before.',
    }),
    requireAcceptance: Type.Boolean({
      default: false,
      hardenedDefault: true,
      description:
        'Whether each manifest of an MCP server needs the approval of another person than its author; spec.acceptedManifest then has no effect. ' +
        'Otherwise the first manifest is accepted, and every later one waits for spec.acceptedManifest.',
    }),
    maxResultBytes: Type.Integer({
      minimum: 1_024,
      maximum: 8 * 1024 * 1024,
      default: 1024 * 1024,
      description: 'Maximum size of the result of a tool call, as JSON. A larger one is refused.',
    }),
    maxCalls: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 64,
      description: 'Tool calls in progress per process of the state role; more are refused with 429.',
    }),
    maxCallsPerNamespace: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 16,
      description: 'Tool calls in progress of the agents of one namespace, per process of the state role.',
    }),
    sessionSeconds: Type.Integer({
      minimum: 0,
      maximum: 300,
      default: 10,
      hardenedDefault: 0,
      description: 'How long calls reuse a session with an MCP server and its tool list. 0: each call opens a session.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link mcpSettings}. */
export type McpSettings = Static<typeof mcpSettings>
