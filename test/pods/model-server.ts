import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { at } from './api.ts'

/** A server of the OpenAI API on an address that pods can reach. */
export interface ModelServer {
  readonly url: string
  /** Keys received with calls. */
  readonly keys: ReadonlySet<string>
  /** Bodies of the calls, in order. */
  readonly bodies: readonly unknown[]
}

/** A message that is never answered. */
export const heldMessage = 'Take your time.'

/** Starts the server. Each chat completion returns "Hello.", but for {@link heldMessage}. */
export async function startModelServer(t: Scope, address: string): Promise<ModelServer> {
  const keys = new Set<string>()
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    keys.add((request.headers.authorization ?? '').replace('Bearer ', ''))
    answer(request, response, bodies).catch(() => response.destroy())
  })
  return { url: `${await listen(t, server, address)}/v1`, keys, bodies }
}

async function answer(request: IncomingMessage, response: ServerResponse, bodies: unknown[]): Promise<void> {
  const asked = await json(request)
  bodies.push(asked)
  if (JSON.stringify(asked).includes(heldMessage)) return
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const completion = { id: 'c', created: 1, model: at(asked, 'model') }
  const message = { role: 'assistant', content: 'Hello.' }
  if (at(asked, 'stream') !== true) {
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...completion, object: 'chat.completion', choices, usage }))
    return
  }
  const chunk = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...completion, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk([{ index: 0, delta: message, finish_reason: null }]))
  response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]))
  response.end(`${chunk([], { usage })}data: [DONE]\n\n`)
}
