import { isObject } from '#core/json/is-object.ts'

/** A tool that a binding of the agent brings, as the state role offers it. */
export interface OfferedTool {
  /** Name for the agent and its model. */
  readonly name: string
  /** Text of the MCP server. */
  readonly title?: string
  /** Text of the MCP server. */
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Hints of the MCP server on the effect of the tool. */
  readonly annotations?: Readonly<Record<string, unknown>>
  /** A call waits for a person. */
  readonly requiresApproval: boolean
  readonly timeoutMs: number
  /** Digest of the accepted manifest that has the tool. */
  readonly digest: string
  /** `namespace/name` of the McpServer. */
  readonly server: string
  /** Name of the tool at its server. */
  readonly tool: string
}

/** Result of a tool. */
export interface OfferedToolResult {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  /** The tool reports that it has failed. */
  readonly isError: boolean
}

/** Parses a tool of the state role. Undefined if it is invalid. */
export function toOfferedTool(value: unknown): OfferedTool | undefined {
  if (!isObject(value)) return undefined
  const { name, title, description, inputSchema, outputSchema, annotations, server, tool } = value
  const { requiresApproval, timeoutMs, digest } = value
  if (typeof name !== 'string' || typeof tool !== 'string' || typeof digest !== 'string') return undefined
  if (!isObject(inputSchema) || !isObject(server) || typeof timeoutMs !== 'number') return undefined
  return {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema,
    ...(isObject(outputSchema) ? { outputSchema } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
    // Of an unknown value the careful one.
    requiresApproval: requiresApproval !== false,
    timeoutMs,
    digest,
    server: `${String(server['namespace'])}/${String(server['name'])}`,
    tool,
  }
}

/** Parses the result of a call. Undefined if it is invalid. */
export function toToolResult({ content, structuredContent, isError }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(content)) return undefined
  const result: OfferedToolResult = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  }
  return result
}
