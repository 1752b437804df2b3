import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tokensOfCall } from './counting-gateway.ts'

/** A provider of OpenAI's API that counts the calls of the gateway, and answers each after a while. */
export async function startCountingProvider(scope: Scope, answerMs: number) {
  const seen = { calls: 0 }
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  const head = { id: 'c', object: 'chat.completion', created: 1, model: 'm' }
  const body = JSON.stringify({ ...head, choices, usage: tokensOfCall })
  const server = createServer(async (request, response) => {
    seen.calls++
    request.resume()
    await sleep(answerMs)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  return { url: `${await listen(scope, server)}/v1`, seen }
}
