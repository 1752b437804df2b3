import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** A request for embeddings that a server of the tests received. */
export interface ReceivedRequest {
  readonly authorization: string | undefined
  /** `X-Mesh-Payer` and `X-Mesh-Run-Id`. */
  readonly payer: string | undefined
  readonly runId: string | undefined
  readonly model: string
  readonly input: readonly string[]
}

/** An endpoint `/v1/embeddings` on loopback. */
export interface EmbeddingServer {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** Responds instead of the vectors of `embeddingOf`; undefined restores them. */
  answer: ((request: ReceivedRequest, response: ServerResponse) => void) | undefined
}

/** Starts a server that embeds texts by `embeddingOf`. */
export async function startEmbeddingServer(t: Scope): Promise<EmbeddingServer> {
  const own: EmbeddingServer = { url: '', received: [], answer: undefined }
  const server = createServer((request, response) => {
    void serve(own, request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(own, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function serve(own: EmbeddingServer, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Pick<ReceivedRequest, 'model' | 'input'>
  const { authorization, 'x-mesh-payer': payer, 'x-mesh-run-id': runId } = message.headers
  const request = { ...body, authorization, payer: payer as string | undefined, runId: runId as string | undefined }
  own.received.push(request)
  if (own.answer !== undefined) return own.answer(request, response)
  answerVectors(
    response,
    request.input.map((text) => embeddingOf(text)),
  )
}

/** Responds with these vectors. */
export function answerVectors(response: ServerResponse, vectors: readonly (readonly unknown[])[]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data, model: 'test' }))
}

const topics = ['money price cost refund invoice', 'cat dog animal pet', 'sea ship harbour sail'].map((words) =>
  words.split(' '),
)

/** A vector of four numbers: one per topic by its words, and a small constant. Texts of one topic are near each other without a common word. */
export function embeddingOf(text: string): readonly number[] {
  const words = new Set(text.toLowerCase().split(/[^a-z]/))
  return [...topics.map((topic) => topic.filter((word) => words.has(word)).length), 0.01]
}
