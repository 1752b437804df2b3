import { isObject } from '#core/json/is-object.ts'
import { singleHeader } from '../../http/guard.ts'
import { Refusal } from '../../http/refusal.ts'
import type { AgentRequest, CallForAgent } from '../../tools/agent-calls.ts'
import type { OfferedTool, ToolResult } from '../../tools/offered-tool.ts'
import type { ToolSource } from '../../tools/tool-source.ts'

/** Answers one message of a client; undefined: the message has no answer. Throws `Refusal` for what is no message. */
export type AnswerMessage = (
  from: AgentRequest,
  message: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>> | undefined>

/** Dependencies of the endpoint. */
export interface McpEndpointOptions {
  readonly tools: ToolSource
  readonly call: CallForAgent
}

type Params = Readonly<Record<string, unknown>>
type Id = string | number

// Newest first. Both are served without sessions and without streams, which the protocol allows (Streamable HTTP).
const revisions = ['2025-11-25', '2025-06-18'] as const
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
/** A code of the implementation: the call waits for a person. */
const APPROVAL_REQUIRED = -32000

/** An error of JSON-RPC. */
class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Creates the endpoint: the tools of the agent for any MCP client in its pod. */
export function createMcpEndpoint(options: McpEndpointOptions): AnswerMessage {
  return async (from, message) => {
    const { jsonrpc, id, method, params = {} } = message
    if (jsonrpc !== '2.0') throw new Refusal('malformed_request', 'jsonrpc: must be "2.0"')
    // A notification, or the answer to a request that this server never makes.
    if (id === undefined || method === undefined) return undefined
    if (!isId(id)) throw new Refusal('malformed_request', 'id: must be a text of at most 256 characters or an integer')
    if (typeof method !== 'string') throw new Refusal('malformed_request', 'method: must be a text')
    if (!isObject(params)) throw new Refusal('malformed_request', 'params: must be a JSON object')
    try {
      return { jsonrpc: '2.0', id, result: await resultOf(options, from, method, params) }
    } catch (error) {
      const { code, message: text } = toRpcError(error)
      return { jsonrpc: '2.0', id, error: { code, message: text } }
    }
  }
}

async function resultOf(
  { tools, call }: McpEndpointOptions,
  from: AgentRequest,
  method: string,
  params: Params,
): Promise<object> {
  if (method === 'initialize') return initialize(params)
  if (!['ping', 'tools/list', 'tools/call'].includes(method))
    throw new RpcError(METHOD_NOT_FOUND, 'The method is not supported.')
  checkRevision(from)
  if (method === 'tools/list') return { tools: (await tools.current()).map(toListed) }
  return method === 'tools/call' ? callTool(call, from, params) : {}
}

function initialize({ protocolVersion }: Params): object {
  const known = revisions.find((revision) => revision === protocolVersion) ?? revisions[0]
  return { protocolVersion: known, capabilities: { tools: {} }, serverInfo: { name: 'mesh', version: '1' } }
}

function checkRevision({ request }: AgentRequest): void {
  const named = singleHeader(request, 'mcp-protocol-version')
  if (named !== undefined && !revisions.some((revision) => revision === named))
    throw new Refusal('malformed_request', `MCP-Protocol-Version: must be ${revisions.join(' or ')}`)
}

function toListed({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): object {
  return { name, title, description, inputSchema, outputSchema, annotations }
}

async function callTool(call: CallForAgent, from: AgentRequest, params: Params): Promise<ToolResult> {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string') throw new RpcError(INVALID_PARAMS, 'params.name: must be a text')
  if (!isObject(args)) throw new RpcError(INVALID_PARAMS, 'params.arguments: must be a JSON object')
  try {
    return await call(from, name, args)
  } catch (error) {
    if (error instanceof Refusal && forModel.has(error.code))
      return { content: [{ type: 'text', text: error.message }], isError: true }
    throw error
  }
}

// The model reads these and may do without the tool (MCP, tool execution errors).
const forModel: ReadonlySet<string> = new Set([
  'tool_changed',
  'tool_unavailable',
  'tool_result_refused',
  'tool_timeout',
  'tool_call_rejected',
  'too_many_tool_calls',
  'tools_unavailable',
])

// Requests that break the rules of the port are refused by HTTP.
function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof Refusal)) throw error
  // An error and no result, so that the agent stops and its run can wait.
  if (error.code === 'tool_approval_required') return new RpcError(APPROVAL_REQUIRED, error.message)
  if (error.code === 'unknown_tool') return new RpcError(INVALID_PARAMS, error.message)
  if (error.code === 'tools_unavailable') return new RpcError(INTERNAL_ERROR, error.message)
  throw error
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? id.length <= 256 : Number.isSafeInteger(id)
}
