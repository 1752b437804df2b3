import { Agent } from 'undici'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { collect } from '#core/http-client/request.ts'
import type { CollectedAnswer } from '#core/http-client/request.ts'
import { EmbeddingsUnavailable } from './embeddings-error.ts'
import type { EmbeddingsProblem } from './embeddings-error.ts'
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

/** Options of `createEmbeddings`. */
export interface EmbeddingsOptions {
  /** Base URL, read per call: a process that only describes the API has none. */
  readonly gatewayUrl: () => string
  /** Bearer of a caller, or of the role itself; undefined in a role without an identity. */
  readonly bearer: (() => Promise<string>) | undefined
}

// Per call: providers accept at least as much, and a failed call repeats no more.
const MAX_TEXTS = 64
const MAX_CHARACTERS = 200_000
// 64 vectors of 4,096 numbers as decimal text.
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
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
  { gatewayUrl, bearer }: EmbeddingsOptions,
  body: object,
  signal: AbortSignal,
): Promise<CollectedAnswer> {
  if (bearer === undefined) throw new EmbeddingsUnavailable('no_identity')
  const url = URL.parse('/v1/embeddings', gatewayUrl())
  if (url === null) throw new EmbeddingsUnavailable('unreachable')
  const token = await bearer()
  connections ??= new Agent({ allowH2: false, connections: 16 })
  return collect(connections, {
    origin: url.origin,
    path: url.pathname,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal,
    maxBytes: MAX_ANSWER_BYTES,
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

function refusalOf({ status, headers }: CollectedAnswer): EmbeddingsUnavailable {
  const seconds = Number(headers['retry-after'])
  const retryAfterMs = seconds > 0 && seconds <= 600 ? seconds * 1000 : undefined
  const otherwise = status >= 500 ? 'failed' : 'refused'
  return new EmbeddingsUnavailable(problems[status] ?? otherwise, retryAfterMs)
}
