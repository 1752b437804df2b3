import { isObject } from '#core/json/is-object.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { AgentRequest } from './agent-calls.ts'
import { decodeHeaderValue } from './header-value.ts'
import { RpcError, rpcCodes } from './rpc-error.ts'

/** A request of a client. */
export interface McpRequest {
  readonly from: AgentRequest
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The revision in which each request carries its revision. */
const MODERN = '2026-07-28'

/** Revisions that begin with `initialize`, newest first. Both are served without sessions and streams, which is allowed. */
const handshake = ['2025-11-25', '2025-06-18'] as const
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'
const serverInfo = { name: 'mesh', version: '1' }
const capabilities = { tools: {} }
// The launcher refreshes its own list of tools after this time.
const LIST_TTL_MS = 5_000

/** Responses of one generation of the protocol. */
export interface McpRevision {
  /** Methods besides `tools/list` and `tools/call`. */
  readonly own: Readonly<Record<string, (params: McpRequest['params']) => object>>
  /** Completes a result for the wire. */
  complete(method: string, result: object): object
  /** HTTP status of an unknown method; default 200. */
  readonly unknownMethodStatus?: 404
  /** Headers of a call repeat its arguments. */
  readonly hasArgumentHeaders?: true
}

const before2026: McpRevision = {
  own: { initialize, ping: () => ({}) },
  complete: (_method, result) => result,
}

const since2026: McpRevision = {
  own: { 'server/discover': () => ({ supportedVersions: [MODERN], capabilities }) },
  complete: (method, result) => ({
    ...(method === 'tools/call' ? {} : { ttlMs: LIST_TTL_MS, cacheScope: 'private' }),
    ...result,
    resultType: 'complete',
    _meta: { [SERVER_KEY]: serverInfo },
  }),
  unknownMethodStatus: 404,
  hasArgumentHeaders: true,
}

function initialize({ protocolVersion }: McpRequest['params']): object {
  const known = handshake.find((revision) => revision === protocolVersion) ?? handshake[0]
  return { protocolVersion: known, capabilities, serverInfo }
}

/** The generation of a request. Throws `RpcError` or `Refusal` if its headers and body do not agree. */
export function revisionOf(request: McpRequest): McpRevision {
  const { _meta: given } = request.params
  const meta = isObject(given) ? given : {}
  const named = singleHeader(request.from.request, 'mcp-protocol-version')
  if (meta[VERSION_KEY] !== undefined) {
    checkModern(request, meta)
    return since2026
  }
  if (named === MODERN || (named === undefined && request.method === 'server/discover')) throw absent(VERSION_KEY)
  // A client that sends `initialize` has no revision yet.
  if (request.method !== 'initialize' && named !== undefined && !handshake.some((revision) => revision === named))
    throw new Refusal('malformed_request', `MCP-Protocol-Version: must be ${handshake.join(' or ')}`)
  return before2026
}

// Headers repeat the body for intermediaries, and must not contradict it (MCP 2026-07-28, standard request headers).
function checkModern({ from, method, params }: McpRequest, meta: McpRequest['params']): void {
  const claimed = meta[VERSION_KEY]
  const header = (name: string): string | undefined => singleHeader(from.request, name)
  if (header('mcp-protocol-version') !== claimed) throw mismatch('MCP-Protocol-Version')
  if (claimed !== MODERN)
    throw new RpcError(rpcCodes.unsupportedVersion, 'The revision is not supported.', {
      status: 400,
      data: { supported: [MODERN], requested: claimed },
    })
  if (header('mcp-method') !== method) throw mismatch('Mcp-Method')
  const name = header('mcp-name')
  if (method === 'tools/call' && (name === undefined || decodeHeaderValue(name) !== params['name']))
    throw mismatch('Mcp-Name')
  if (!isObject(meta[CAPABILITIES_KEY])) throw absent(CAPABILITIES_KEY)
}

function absent(key: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `params._meta: must have ${key}`, { status: 400 })
}

/** The error for a header that contradicts the body. */
export function mismatch(name: string): RpcError {
  return new RpcError(rpcCodes.headerMismatch, `${name} does not match the body.`, { status: 400 })
}
