import { Agent } from 'undici'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { collect } from '#core/http-client/request.ts'
import type { CollectedResponse } from '#core/http-client/request.ts'
import { isObject } from '#core/json/is-object.ts'
import { EmbeddingsUnavailable } from './embeddings-error.ts'
import type { EmbeddingsProblem } from './embeddings-error.ts'
import { formatPayer, payerHeader } from './payer.ts'
import type { Payer } from './payer.ts'
import { readVectors } from './read-vectors.ts'

/** Texts to embed with one model. */
export interface EmbeddingsRequest {
  /** `namespace/name` of a ModelRoute. */
  readonly route: string
  readonly texts: readonly string[]
  readonly signal?: AbortSignal
  /** Deadline of each call; default 30 s. */
  readonly timeoutMs?: number
}

/** One vector per text, in order, all of one length. */
export interface EmbeddedTexts {
  readonly vectors: readonly (readonly number[])[]
  readonly dimensions: number
}

/** Client of the gateway's `POST /v1/embeddings`. */
export interface Embeddings {
  /** Throws `EmbeddingsUnavailable`, or the reason of the signal. */
  embed(request: EmbeddingsRequest): Promise<EmbeddedTexts>
}

/** Embeddings with the identity of a role. It may use every route, so each call names its payer (ADR 0100). */
export interface RoleEmbeddings {
  /** `runId` is a run of the paying agent: the agent of its root run pays, too. */
  paidBy(payer: Payer, runId?: string): Embeddings
}

/** Options of `createEmbeddings`. */
export interface EmbeddingsOptions {
  /** Base URL, read per call: a process that only describes the API has none. */
  readonly gatewayUrl: () => string
  /** Bearer of a caller, or of the role itself; undefined in a role without an identity. */
  readonly bearer: (() => Promise<string>) | undefined
  /** Headers of each call besides those of the protocol. */
  readonly headers?: Readonly<Record<string, string>>
}

// Per call: providers accept at least as many, and no more are repeated after a failed call.
const MAX_TEXTS = 64
const MAX_CHARACTERS = 200_000
// 64 vectors of 4,096 numbers as a decimal string.
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 30_000

let connections: Agent | undefined

/** Creates a client without connecting. Batches are sent one after the other. */
export function createEmbeddings(options: EmbeddingsOptions): Embeddings {
  return {
    embed: async (request) => {
      assertOutsideTransaction('a call for embeddings')
      const vectors: (readonly number[])[] = []
      for (const texts of batchesOf(request.texts)) vectors.push(...(await embedBatch(options, { ...request, texts })))
      const dimensions = vectors[0]?.length ?? 0
      if (vectors.some(({ length }) => length !== dimensions)) throw new EmbeddingsUnavailable('invalid_answer')
      return { vectors, dimensions }
    },
  }
}

/** Creates the embeddings of a role without connecting. */
export function createRoleEmbeddings(options: Omit<EmbeddingsOptions, 'headers'>): RoleEmbeddings {
  return {
    paidBy: (payer, runId) => {
      const ofRun = runId === undefined ? {} : { 'x-mesh-run-id': runId }
      return createEmbeddings({ ...options, headers: { [payerHeader]: formatPayer(payer), ...ofRun } })
    },
  }
}

/** Identity of comparable vectors: those of one model behind one route. */
export function spaceOf(route: string, model: string): string {
  return `${route}@${model}`
}

function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let size = 0
  for (const text of texts) {
    const current = batches.at(-1)
    if (current === undefined || current.length === MAX_TEXTS || size + text.length > MAX_CHARACTERS) {
      batches.push([text])
      size = text.length
    } else {
      current.push(text)
      size += text.length
    }
  }
  return batches
}

async function embedBatch(
  options: EmbeddingsOptions,
  { route, texts, signal, timeoutMs = TIMEOUT_MS }: EmbeddingsRequest,
): Promise<readonly (readonly number[])[]> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await post(
      options,
      { model: route, input: texts },
      signal ? AbortSignal.any([signal, deadline]) : deadline,
    )
    if (answer.status !== 200) throw refusalOf(answer)
    return readVectors(answer.body, texts.length)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof EmbeddingsUnavailable) throw error
    throw new EmbeddingsUnavailable(deadline.aborted ? 'timeout' : 'unreachable')
  }
}

async function post(
  { gatewayUrl, bearer, headers = {} }: EmbeddingsOptions,
  body: object,
  signal: AbortSignal,
): Promise<CollectedResponse> {
  if (bearer === undefined) throw new EmbeddingsUnavailable('no_identity')
  const url = URL.parse('/v1/embeddings', gatewayUrl())
  if (url === null) throw new EmbeddingsUnavailable('unreachable')
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
    maxBytes: MAX_RESPONSE_BYTES,
  })
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
const unpaid: ReadonlySet<unknown> = new Set<EmbeddingsProblem>(['budget_exceeded', 'price_unknown'])

function refusalOf({ status, headers, body }: CollectedResponse): EmbeddingsUnavailable {
  const seconds = Number(headers['retry-after'])
  const retryAfterMs = seconds > 0 && seconds <= 600 ? seconds * 1000 : undefined
  const code = codeIn(body)
  if (unpaid.has(code)) return new EmbeddingsUnavailable(code as EmbeddingsProblem, retryAfterMs)
  const otherwise = status >= 500 ? 'failed' : 'refused'
  return new EmbeddingsUnavailable(problems[status] ?? otherwise, retryAfterMs)
}

function codeIn(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'))
    return isObject(answer) && isObject(answer['error']) ? answer['error']['code'] : undefined
  } catch {
    return undefined
  }
}
