import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const mcpSettings = Type.Object(
  {
    requireAcceptance: Type.Boolean({
      default: false,
      hardenedDefault: true,
      description:
        'Whether the first manifest of an MCP server waits for spec.acceptedManifest, as every later one does.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link mcpSettings}. */
export type McpSettings = Static<typeof mcpSettings>
