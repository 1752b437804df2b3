import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A provider with the API of OpenAI that accepts some keys. */
export interface KeyedUpstream {
  readonly baseUrl: string
  /** Keys that it accepts. */
  readonly accepted: Set<string>
  /** Time of the last request by each key, on the monotonic clock. */
  readonly lastUse: Map<string, number>
}

/** Time of a response. */
export const RESPONSE_MS = 20

const choices = [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }]
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const completion = JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices, usage })

/** Starts the provider. */
export async function startKeyedUpstream(t: Scope): Promise<KeyedUpstream> {
  const accepted = new Set<string>()
  const lastUse = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '')
    lastUse.set(key, performance.now())
    const isAccepted = accepted.has(key)
    request.resume()
    await sleep(RESPONSE_MS)
    const body = request.method === 'GET' ? '{"object":"list","data":[{"id":"m"}]}' : completion
    response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' }).end(isAccepted ? body : '{}')
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return { baseUrl: `${await listen(t, server)}/v1`, accepted, lastUse }
}
