import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tokensOfCall } from './counting-gateway.ts'

/** A provider that counts calls. */
export interface CountingProvider {
  /** Base URL of its API. */
  readonly url: string
  calls(): number
  /** Resolves when that many calls have arrived. */
  reached(calls: number): Promise<void>
  /** Keeps calls without an answer until `resume`. */
  pause(): void
  resume(): void
}

/** Starts a provider of OpenAI's API that counts the calls of the gateway, and answers each after a while. */
export async function startCountingProvider(scope: Scope, answerMs: number): Promise<CountingProvider> {
  let calls = 0
  const waiting = new Set<{ readonly calls: number; readonly resolve: () => void }>()
  let paused = Promise.resolve()
  let resume: () => void = () => undefined
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  const head = { id: 'c', object: 'chat.completion', created: 1, model: 'm' }
  const body = JSON.stringify({ ...head, choices, usage: tokensOfCall })
  const server = createServer(async (request, response) => {
    calls++
    for (const one of waiting) if (calls >= one.calls) one.resolve()
    request.resume()
    await sleep(answerMs)
    await paused
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  return {
    url: `${await listen(scope, server)}/v1`,
    calls: () => calls,
    async reached(wanted) {
      if (calls >= wanted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const one = { calls: wanted, resolve }
      waiting.add(one)
      await promise
      waiting.delete(one)
    },
    pause() {
      const gate = Promise.withResolvers<void>()
      paused = gate.promise
      resume = gate.resolve
    },
    resume: () => resume(),
  }
}
