import { isObject } from '#core/json/is-object.ts'
import { singleHeader } from '../../http/guard.ts'
import { Refusal } from '../../http/refusal.ts'
import type { AgentRequest } from '../../tools/agent-calls.ts'
import { RpcError, rpcCodes } from './rpc-error.ts'

/** A request of a client. */
export interface McpRequest {
  readonly from: AgentRequest
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The revision whose requests carry their revision themselves. */
const MODERN = '2026-07-28'
/** Revisions that begin with `initialize`, newest first. Both are served without sessions and streams, which they allow. */
const handshake = ['2025-11-25', '2025-06-18'] as const
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'
const serverInfo = { name: 'mesh', version: '1' }
const capabilities = { tools: {} }
// The launcher itself reads tools again after this time.
const LIST_TTL_MS = 5_000

/** Answers of one generation of the protocol. */
export interface Revision {
  /** Methods beside `tools/list` and `tools/call`. */
  readonly own: Readonly<Record<string, (params: McpRequest['params']) => object>>
  /** Completes a result for the wire. */
  complete(method: string, result: object): object
  /** HTTP status of an unknown method; default 200. */
  readonly unknownMethodStatus?: 404
}

const before2026: Revision = {
  own: { initialize, ping: () => ({}) },
  complete: (_method, result) => result,
}

const since2026: Revision = {
  own: { 'server/discover': () => ({ supportedVersions: [MODERN], capabilities }) },
  complete: (method, result) => ({
    ...(method === 'tools/call' ? {} : { ttlMs: LIST_TTL_MS, cacheScope: 'private' }),
    ...result,
    resultType: 'complete',
    _meta: { [SERVER_KEY]: serverInfo },
  }),
  unknownMethodStatus: 404,
}

function initialize({ protocolVersion }: McpRequest['params']): object {
  const known = handshake.find((revision) => revision === protocolVersion) ?? handshake[0]
  return { protocolVersion: known, capabilities, serverInfo }
}

/** The generation of a request. Throws `RpcError` or `Refusal` if its headers and body do not agree. */
export function revisionOf(request: McpRequest): Revision {
  const { _meta: meta } = request.params
  const claimed = isObject(meta) ? meta[VERSION_KEY] : undefined
  if (claimed !== undefined) {
    checkModern(request, claimed)
    return since2026
  }
  // A client that looks for a revision has none yet.
  const isFirst = request.method === 'initialize' || request.method === 'server/discover'
  const named = singleHeader(request.from.request, 'mcp-protocol-version')
  if (!isFirst && named !== undefined && !handshake.some((revision) => revision === named))
    throw new Refusal('malformed_request', `MCP-Protocol-Version: must be ${handshake.join(' or ')}`)
  return before2026
}

// Headers repeat the body for intermediaries, and must not say something else (MCP 2026-07-28, standard request headers).
function checkModern({ from, method, params }: McpRequest, claimed: unknown): void {
  const header = (name: string): string | undefined => singleHeader(from.request, name)
  if (header('mcp-protocol-version') !== claimed) throw mismatch('MCP-Protocol-Version')
  if (claimed !== MODERN)
    throw new RpcError(rpcCodes.unsupportedVersion, 'The revision is not supported.', {
      status: 400,
      data: { supported: [MODERN], requested: claimed },
    })
  if (header('mcp-method') !== method) throw mismatch('Mcp-Method')
  if (method === 'tools/call' && decode(header('mcp-name')) !== params['name']) throw mismatch('Mcp-Name')
}

function mismatch(name: string): RpcError {
  return new RpcError(rpcCodes.headerMismatch, `${name} is not what the body says.`, { status: 400 })
}

function decode(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]{0,512}={0,2})\?=$/.exec(value ?? '')?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}
