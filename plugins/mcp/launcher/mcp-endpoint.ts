import { isObject } from '#core/json/is-object.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { AgentRequest, CallForAgent } from './agent-calls.ts'
import type { OfferedTool, OfferedToolResult } from './offered-tool.ts'
import type { ToolSource } from './tool-source.ts'
import { findOtherHeader } from './argument-headers.ts'
import { mismatch, revisionOf } from './mcp-revision.ts'
import type { McpRequest } from './mcp-revision.ts'
import { RpcError, rpcCodes, toRpcError } from './rpc-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** The HTTP response to a message. */
export interface MessageReply {
  readonly status: 200 | 400 | 404
  readonly body: Fields
}

/** Responds to one message of a client; undefined: the message has no response. Throws `Refusal` for a body that is not a message. */
export type ResponseMessage = (from: AgentRequest, message: Fields) => Promise<MessageReply | undefined>

/** Dependencies of the endpoint. */
export interface McpEndpointOptions {
  readonly tools: ToolSource
  readonly call: CallForAgent
}

/** Creates the endpoint: the tools of the agent for any MCP client in its pod. */
export function createMcpEndpoint(options: McpEndpointOptions): ResponseMessage {
  return async (from, message) => {
    const { jsonrpc, id, method, params = {} } = message
    if (jsonrpc !== '2.0') throw new Refusal('malformed_request', 'jsonrpc: must be "2.0"')
    // A notification, or the response to a request that this server never sends.
    if (id === undefined || method === undefined) return undefined
    if (!isId(id))
      throw new Refusal('malformed_request', 'id: must be a string of at most 256 characters or an integer')
    if (typeof method !== 'string') throw new Refusal('malformed_request', 'method: must be a string')
    if (!isObject(params)) throw new Refusal('malformed_request', 'params: must be a JSON object')
    try {
      const result = await resultOf(options, { from, method, params })
      return { status: 200, body: { jsonrpc: '2.0', id, result } }
    } catch (failure) {
      const { code, message: text, status, data } = toRpcError(failure)
      const error = { code, message: text, ...(data === undefined ? {} : { data }) }
      return { status, body: { jsonrpc: '2.0', id, error } }
    }
  }
}

async function resultOf(options: McpEndpointOptions, request: McpRequest): Promise<object> {
  const { method, params } = request
  const { own, complete, hasArgumentHeaders, unknownMethodStatus: status } = revisionOf(request)
  const ofRevision = Object.hasOwn(own, method) ? own[method] : undefined
  if (ofRevision !== undefined) return complete(method, ofRevision(params))
  if (method === 'tools/list') return complete(method, { tools: (await options.tools.current()).map(toListed) })
  if (method === 'tools/call') {
    const called = toCall(params)
    if (hasArgumentHeaders === true) await checkHeaders(options, request, called)
    return complete(method, await callTool(options.call, request.from, called))
  }
  throw new RpcError(rpcCodes.methodNotFound, 'The method is not supported.', status === undefined ? {} : { status })
}

function toListed({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): object {
  return { name, title, description, inputSchema, outputSchema, annotations }
}

interface CalledTool {
  readonly name: string
  readonly args: Fields
}

function toCall({ name, arguments: args = {} }: Fields): CalledTool {
  if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'params.name: must be a string')
  if (!isObject(args)) throw new RpcError(rpcCodes.invalidParams, 'params.arguments: must be a JSON object')
  return { name, args }
}

async function checkHeaders({ tools }: McpEndpointOptions, { from }: McpRequest, called: CalledTool): Promise<void> {
  const tool = (await tools.current()).find(({ name }) => name === called.name)
  const other = tool === undefined ? undefined : findOtherHeader(from.request, tool.inputSchema, called.args)
  if (other !== undefined) throw mismatch(other)
}

async function callTool(
  call: CallForAgent,
  from: AgentRequest,
  { name, args }: CalledTool,
): Promise<OfferedToolResult> {
  try {
    return await call(from, name, args)
  } catch (error) {
    if (error instanceof Refusal && forModel.has(error.code))
      return { content: [{ type: 'text', text: error.message }], isError: true }
    throw error
  }
}

// The model reads these errors and may continue without the tool (MCP, tool execution errors).
const forModel: ReadonlySet<string> = new Set([
  'tool_changed',
  'tool_unavailable',
  'tool_result_refused',
  'tool_timeout',
  'tool_call_rejected',
  'too_many_tool_calls',
  'tools_unavailable',
])

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= 256 : Number.isSafeInteger(id)
}
