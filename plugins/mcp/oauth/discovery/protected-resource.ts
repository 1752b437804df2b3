import type { Outbound } from '#core/http-client/outbound.ts'
import { readChallenge } from './challenge.ts'
import { readDocument, stringOf, stringsOf, unusable } from './document.ts'
import type { Discovering } from './document.ts'

/** What an MCP server says about its authorization (RFC 9728). */
export interface ProtectedResource {
  /** Undefined for a server without a document: its authorization server is its own origin (MCP 2025-03-26). */
  readonly resource: string | undefined
  /** Issuers that the server names, in its order. */
  readonly issuers: readonly string[]
  /** Scopes of the challenge, else those that the server supports. */
  readonly scopes: readonly string[] | undefined
}

type OutboundResponse = Awaited<ReturnType<Outbound['request']>>

const PROBE_MS = 5_000
const PROBE_BYTES = 64 * 1024

/** Finds the metadata of the server at `url`: at the address of its challenge, else at the well-known ones. */
export async function findProtectedResource(discovering: Discovering, url: string): Promise<ProtectedResource> {
  const challenge = readChallenge(await probe(discovering, url))
  for (const address of addressesOf(url, challenge.resourceMetadata)) {
    const document = await readDocument(discovering, address)
    if (document === undefined) continue
    const resource = stringOf(document, 'resource')
    if (resource === undefined || !covers(resource, url))
      throw unusable(`${new URL(address).host} describes another resource than the server.`)
    const issuers = stringsOf(document, 'authorization_servers') ?? []
    return { resource, issuers, scopes: challenge.scopes ?? stringsOf(document, 'scopes_supported') }
  }
  return { resource: undefined, issuers: [new URL(url).origin], scopes: challenge.scopes }
}

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'mesh', version: '0' } },
}

// The challenge of the server; a server that answers otherwise has none. One that lets anyone initialize asks for a token at the first other request.
async function probe(discovering: Discovering, url: string): Promise<string | undefined> {
  const first = await ask(discovering, url, initialize)
  if (first === undefined || first.status === 401) return challengeOf(first)
  const session = first.headers['mcp-session-id']
  const headers = {
    'mcp-protocol-version': '2025-11-25',
    ...(typeof session === 'string' ? { 'mcp-session-id': session } : {}),
  }
  return challengeOf(await ask(discovering, url, { method: 'tools/list' }, headers))
}

// The body of a response is of no interest.
async function ask(
  { outbound, signal }: Discovering,
  url: string,
  call: object,
  more: Readonly<Record<string, string>> = {},
): Promise<OutboundResponse | undefined> {
  const answer = await outbound
    .request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      deadlineMs: PROBE_MS,
      maxBytes: PROBE_BYTES,
      signal,
    })
    .catch(() => undefined)
  signal.throwIfAborted()
  return answer
}

function challengeOf(answer: OutboundResponse | undefined): string | undefined {
  const header = answer?.status === 401 ? answer.headers['www-authenticate'] : undefined
  return header === undefined ? undefined : [header].flat().join(', ').slice(0, 8_192)
}

function addressesOf(url: string, challenged: string | undefined): readonly string[] {
  const { origin, pathname } = new URL(url)
  const known = `${origin}/.well-known/oauth-protected-resource`
  const ofPath = pathname === '/' ? [] : [`${known}${pathname.replace(/\/$/, '')}`]
  const given = challenged !== undefined && URL.canParse(challenged) ? [challenged] : []
  return [...new Set([...given, ...ofPath, known])]
}

/** Whether tokens for `resource` may be sent to `url`: same origin, and the path is that of the resource or below it. */
export function covers(resource: string, url: string): boolean {
  const [wide, narrow] = [URL.parse(resource), URL.parse(url)]
  if (wide === null || narrow === null || wide.origin !== narrow.origin || wide.hash !== '') return false
  const path = wide.pathname.replace(/\/$/, '')
  return narrow.pathname === path || narrow.pathname.startsWith(`${path}/`)
}
