import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A chat completion request as the loop sent it. */
export interface ModelRequest {
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly model: string
    readonly messages: { role: string; content: string | null; tool_calls?: unknown[] }[]
    readonly tools?: { function: { name: string } }[]
    readonly [field: string]: unknown
  }
}

/** One response of the script. */
export type ModelReply = (response: ServerResponse, request: ModelRequest) => void

/** Serves a script of chat completions byte for byte, valid and invalid ones. */
export async function startModelServer(t: Scope, script: readonly ModelReply[]) {
  const requests: ModelRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest['body']
    const seen = { headers: request.headers, body }
    requests.push(seen)
    const reply = script[Math.min(requests.length, script.length) - 1]
    reply?.(response, seen)
  })
  return { url: await listen(t, server), requests }
}

/** Streams text in pieces, with usage. */
export function says(...pieces: string[]): ModelReply {
  return (response) => {
    open(response)
    for (const content of pieces) chunk(response, { content })
    finish(response, 'stop')
  }
}

/** Streams tool calls, the arguments cut in two. */
export function calls(...wanted: { name: string; args: unknown; id?: string }[]): ModelReply {
  return (response) => {
    open(response)
    for (const [index, { name, args, id = `call_${index}` }] of wanted.entries()) {
      const text = typeof args === 'string' ? args : JSON.stringify(args)
      const half = Math.floor(text.length / 2)
      chunk(response, {
        tool_calls: [{ index, id, type: 'function', function: { name, arguments: text.slice(0, half) } }],
      })
      chunk(response, { tool_calls: [{ index, function: { arguments: text.slice(half) } }] })
    }
    finish(response, 'tool_calls')
  }
}

/** Responds with a status and an OpenAI error. */
export function refuses(status: number, code: string): ModelReply {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'no', code } }))
}

/** Opens an event stream. */
export function open(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Sends one chunk with that delta. */
export function chunk(response: ServerResponse, delta: object): void {
  response.write(
    `data: ${JSON.stringify({ model: 'test-1', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
  )
}

function finish(response: ServerResponse, reason: string): void {
  const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 2 } }
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\n`)
  response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`)
  response.end('data: [DONE]\n\n')
}
