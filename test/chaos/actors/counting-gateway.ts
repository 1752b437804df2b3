import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** Input and output tokens of every call, so that each costs the same. */
export const tokensOfCall = { prompt_tokens: 0, completion_tokens: 1 }

/** In place of the gateway: counts the calls that reach it by their hold, and answers each after a while. */
export async function startCountingGateway(scope: Scope, answerMs: number) {
  /** Calls by hold. A call without one has the key ''. */
  const calls = new Map<string, number>()
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  const body = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices,
    usage: tokensOfCall,
  })
  const server = createServer(async (request, response) => {
    const hold = String(request.headers['x-mesh-hold'] ?? '')
    calls.set(hold, (calls.get(hold) ?? 0) + 1)
    request.resume()
    await sleep(answerMs)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  return { url: await listen(scope, server), calls }
}
