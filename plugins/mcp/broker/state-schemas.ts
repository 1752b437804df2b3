import { Type } from 'typebox'

const strict = { additionalProperties: false }

/** A tool of the calling agent. */
const OfferedTool = Type.Object({
  name: Type.String({ description: 'Name of the tool for the agent.' }),
  server: Type.Object({ namespace: Type.String(), name: Type.String() }),
  tool: Type.String({ description: 'Name of the tool at its server.' }),
  digest: Type.String({ description: 'Digest of the accepted manifest.' }),
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  inputSchema: Type.Unknown(),
  outputSchema: Type.Optional(Type.Unknown()),
  annotations: Type.Optional(Type.Unknown()),
  requiresApproval: Type.Boolean({ description: 'The launcher calls it after an approval only.' }),
  timeoutMs: Type.Integer(),
})

/** Tools of the calling agent. */
export const OfferedTools = Type.Object({
  items: Type.Array(OfferedTool),
  missing: Type.Array(Type.Object({ entry: Type.String(), reason: Type.String() }), {
    description: 'Entries of spec.tools that bring no tools now.',
  }),
})

/** Name of a tool in a path. */
export const ToolParams = Type.Object({
  tool: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
})

/** Body of a call. */
export const ToolCallRequest = Type.Object(
  {
    arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    digest: Type.String({ maxLength: 71, description: 'Manifest of the tool as the launcher has listed it.' }),
    approved: Type.Boolean({ description: 'Whether the launcher held the call until a person approved it.' }),
  },
  strict,
)

/** Result of a call. */
export const ToolCallResponse = Type.Object({
  content: Type.Array(Type.Unknown()),
  structuredContent: Type.Optional(Type.Unknown()),
  isError: Type.Boolean(),
})
