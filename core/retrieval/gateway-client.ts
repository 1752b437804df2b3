import { Agent } from 'undici'
import { collect } from '#core/http-client/request.ts'
import type { CollectedResponse } from '#core/http-client/request.ts'
import { isObject } from '#core/json/is-object.ts'
import type { EmbeddingsProblem } from './embeddings-error.ts'
import { formatPayer, payerHeader } from './payer.ts'
import type { Payer } from './payer.ts'

/** How a process reaches the gateway. */
export interface GatewayClientOptions {
  /** Base URL, read per call: a process that only describes the API has none. */
  readonly gatewayUrl: () => string
  /** Bearer of a caller, or of the role itself; undefined in a role without an identity. */
  readonly bearer: (() => Promise<string>) | undefined
  /** Headers of each call besides those of the protocol. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request of the gateway's API. */
export interface GatewayPost {
  readonly body: object
  readonly signal: AbortSignal
  readonly maxBytes: number
}

let connections: Agent | undefined

/** Sends a request to the gateway. Returns why it cannot be sent; rejects without a response. */
export async function postToGateway(
  { gatewayUrl, bearer, headers = {} }: GatewayClientOptions,
  path: string,
  { body, signal, maxBytes }: GatewayPost,
): Promise<CollectedResponse | 'no_identity' | 'unreachable'> {
  if (bearer === undefined) return 'no_identity'
  const url = URL.parse(path, gatewayUrl())
  if (url === null) return 'unreachable'
  const token = await bearer()
  connections ??= new Agent({ allowH2: false, connections: 16 })
  return collect(connections, {
    origin: url.origin,
    path: url.pathname,
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify(body),
    signal,
    maxBytes,
  })
}

/** Headers of a call that a role makes for a payer. `runId` is a run of the paying agent. */
export function payerHeaders(payer: Payer, runId: string | undefined): Readonly<Record<string, string>> {
  return { [payerHeader]: formatPayer(payer), ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }) }
}

const problems: Readonly<Record<number, EmbeddingsProblem>> = {
  401: 'refused',
  402: 'refused',
  403: 'refused',
  404: 'unknown_route',
  408: 'timeout',
  429: 'throttled',
  504: 'timeout',
}

// A provider may refuse with the same status: only the code shows that the payer cannot pay.
const unpaid: ReadonlySet<unknown> = new Set<EmbeddingsProblem>(['budget_exceeded', 'cap_exceeded', 'price_unknown'])

/** A refusal of the gateway: its reason, and its own error code where there is one. */
export interface GatewayRefusal {
  readonly problem: EmbeddingsProblem
  readonly retryAfterMs: number | undefined
  readonly code: unknown
}

/** Reads a response other than 200. Nothing else of its text is kept. */
export function readGatewayRefusal({ status, headers, body }: CollectedResponse): GatewayRefusal {
  const seconds = Number(headers['retry-after'])
  const retryAfterMs = seconds > 0 && seconds <= 600 ? seconds * 1000 : undefined
  const code = codeIn(body)
  if (unpaid.has(code)) return { problem: code as EmbeddingsProblem, retryAfterMs, code }
  return { problem: problems[status] ?? (status >= 500 ? 'failed' : 'refused'), retryAfterMs, code }
}

function codeIn(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'))
    return isObject(answer) && isObject(answer['error']) ? answer['error']['code'] : undefined
  } catch {
    return undefined
  }
}
