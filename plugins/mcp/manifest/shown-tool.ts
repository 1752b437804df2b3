import type { McpTool } from '#schemas/crds/mcp-server.ts'

/** A tool with its schemas as JSON, as the API shows it. */
export function toManifestTool({ inputSchema, outputSchema, ...tool }: McpTool) {
  return {
    ...tool,
    inputSchema: toSchema(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: toSchema(outputSchema) }),
  }
}

// Read by `readManifest`, which has checked the schemas.
function toSchema(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>
}
