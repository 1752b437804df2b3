import { isObject } from '#core/json/is-object.ts'
import { ReplayRefusal, noReply } from './http-reply.ts'
import type { HttpReply } from './http-reply.ts'
import type { RecordedTool, Replay } from './replay.ts'

type Fields = Readonly<Record<string, unknown>>

/** Revisions of MCP that begin with `initialize`, newest first. Clients of later ones fall back to them. */
const revisions = ['2025-11-25', '2025-06-18'] as const
const codes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603, diverged: -32000 } as const

/** The server of a path below `/mcp/`: `namespace/name`, or only the name if it is unique. Undefined if it has no recorded call. */
export function findRecordedServer({ servers }: Replay, path: string): string | undefined {
  if (servers.has(path)) return path
  const named = [...servers.keys()].filter((server) => server.split('/').at(-1) === path)
  return named.length === 1 ? named[0] : undefined
}

/** Responds to one message of an MCP client with the recorded calls of a server. Throws `ReplayRefusal` for a body that is not a message. */
export async function respondToMcpMessage(
  replay: Replay,
  server: string,
  message: Fields,
): Promise<HttpReply | typeof noReply> {
  const { jsonrpc, id, method, params = {} } = message
  if (jsonrpc !== '2.0') throw malformed('jsonrpc: must be "2.0"')
  // A notification, or the response to a request that this server never sends.
  if (id === undefined || method === undefined) return { status: 202 }
  if (!isId(id)) throw malformed('id: must be a string of at most 256 characters or an integer')
  if (typeof method !== 'string') throw malformed('method: must be a string')
  if (!isObject(params)) throw malformed('params: must be a JSON object')
  const outcome = await outcomeOf(replay, server, { method, params })
  return outcome === noReply ? noReply : { status: 200, body: { jsonrpc: '2.0', id, ...outcome } }
}

type Outcome = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } }

async function outcomeOf(
  replay: Replay,
  server: string,
  { method, params }: { readonly method: string; readonly params: Fields },
): Promise<Outcome | typeof noReply> {
  if (method === 'initialize') return { result: initialize(params) }
  if (method === 'ping') return { result: {} }
  if (method === 'tools/list') return { result: { tools: (replay.servers.get(server) ?? []).map(toListed) } }
  if (method === 'tools/call') return callTool(replay, server, params)
  return failed(codes.methodNotFound, 'The method is not supported.')
}

async function callTool(replay: Replay, server: string, params: Fields): Promise<Outcome | typeof noReply> {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || name.length > 256)
    return failed(codes.invalidParams, 'params.name: must be a string of at most 256 characters')
  if (!isObject(args)) return failed(codes.invalidParams, 'params.arguments: must be a JSON object')
  const answer = await replay.answer({ channel: 'tool', request: { server, name, tool: name, arguments: args } })
  if (answer.kind === 'aborted') return noReply
  if (answer.kind === 'diverged')
    return failed(codes.diverged, `The replay differs from its recording: ${answer.problem}`)
  if (answer.kind === 'error') return failed(codes.internalError, answer.message)
  if (!isObject(answer.body)) return failed(codes.internalError, 'The recorded response is not the result of a tool.')
  return { result: answer.body }
}

function initialize({ protocolVersion }: Fields): object {
  const known = revisions.find((revision) => revision === protocolVersion) ?? revisions[0]
  return { protocolVersion: known, capabilities: { tools: {} }, serverInfo: { name: 'mesh-replay', version: '1' } }
}

// A recording has no schemas: any value of any argument is accepted.
function toListed({ tool, keys }: RecordedTool): object {
  return { name: tool, inputSchema: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, {}])) } }
}

function failed(code: number, message: string): Outcome {
  return { error: { code, message } }
}

function malformed(message: string): ReplayRefusal {
  return new ReplayRefusal(400, 'malformed_request', message)
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= 256 : Number.isSafeInteger(id)
}
