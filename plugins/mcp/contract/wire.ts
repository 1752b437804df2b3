import {
  anyObject,
  anyOrAbsent,
  anyValue,
  count,
  flag,
  list,
  object,
  optionalField,
  reply,
  string,
} from '#schemas/wire/schema.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/**
 * A tool of the calling agent: `name` is the name for the agent, `tool` the name at the server. `digest` identifies the accepted manifest. The
 * launcher calls a tool with `requiresApproval` only after an approval, for which the object `approvalBy` (`namespace/name`) asks. Descriptions and schemas come from the MCP server.
 */
const tool = reply({
  name: string(),
  server: reply({ namespace: string(), name: string() }),
  tool: string(),
  digest: string(),
  title: optionalField(string()),
  description: optionalField(string()),
  inputSchema: anyObject,
  outputSchema: optionalField(anyObject),
  annotations: optionalField(anyObject),
  requiresApproval: flag,
  approvalBy: optionalField(reply({ kind: string(), name: string() })),
  timeoutMs: count,
})

/** See {@link tool}. */
export type ListedTool = Static<typeof tool>

/** The tools that the bindings of the calling agent provide; `missing` lists entries of spec.tools that currently provide none, with reasons. */
export const offeredTools = statePath({
  method: 'GET',
  path: '/mcp/tools',
  status: 200,
  response: reply({ items: list(tool), missing: list(reply({ entry: string(), reason: string() })) }),
})

/** Result of a call; `isError`: the tool reports that it has failed. */
export const toolResult = reply({
  content: list(anyValue),
  structuredContent: optionalField(anyOrAbsent),
  isError: flag,
})

/** A call of a tool. `digest` is the listed manifest, `approved` the approval that the launcher enforced. */
export const toolCall = statePath({
  method: 'POST',
  path: '/mcp/tools/:tool/calls',
  request: object({ arguments: optionalField(anyObject), digest: string({ maxLength: 71 }), approved: flag }),
  status: 200,
  response: toolResult,
})
