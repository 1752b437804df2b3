import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import type { CollectedResponse } from '#core/http-client/request.ts'
import { EmbeddingsUnavailable } from './embeddings-error.ts'
import { payerHeaders, postToGateway, readGatewayRefusal } from './gateway-client.ts'
import type { GatewayClientOptions } from './gateway-client.ts'
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
export type EmbeddingsOptions = GatewayClientOptions

// Per call: providers accept at least as many, and no more are repeated after a failed call.
const MAX_TEXTS = 64
const MAX_CHARACTERS = 200_000
// 64 vectors of 4,096 numbers as a decimal string.
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 30_000

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
    paidBy: (payer, runId) => createEmbeddings({ ...options, headers: payerHeaders(payer, runId) }),
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
    const answer = await postToGateway(options, '/v1/embeddings', {
      body: { model: route, input: texts },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    if (answer === 'no_identity' || answer === 'unreachable') throw new EmbeddingsUnavailable(answer)
    if (answer.status !== 200) throw refusalOf(answer)
    return readVectors(answer.body, texts.length)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof EmbeddingsUnavailable) throw error
    throw new EmbeddingsUnavailable(deadline.aborted ? 'timeout' : 'unreachable')
  }
}

function refusalOf(response: CollectedResponse): EmbeddingsUnavailable {
  const { problem, retryAfterMs } = readGatewayRefusal(response)
  return new EmbeddingsUnavailable(problem, retryAfterMs)
}
