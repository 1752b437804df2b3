import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createConfigured } from '../tools/agents.ts'
import type { Candidate } from '../tools/rounds.ts'
import { quantile } from '../tools/statistics.ts'
import { connect, invokeStream } from './callers.ts'
import type { MeasuredPlatform } from './forms.ts'

const streams = 8
const deltas = 25
const pauseMs = 40
const warmUps = 2

/**
 * Runs whose model sends a token every 40 ms, read as server-sent events by 8 clients at once: time from the model's write to the client's
 * read. Model and clients are this process, so both times are of one clock. A token is
 * the time at which it was written, and counts when a frame first contains it.
 */
export async function openLiveDeltas(t: Scope, platform: MeasuredPlatform, name: string): Promise<Candidate> {
  const { admin } = platform
  if (admin === undefined) throw new Error('the route is created in the cluster')
  const baseUrl = await startModel(t)
  await addRoute(admin, 'default', 'paced', { provider: { type: 'openai', baseUrl } })
  await createConfigured(platform, { name: 'paced', model: { route: 'paced' }, limits: { concurrency: 64 } })
  const pool = connect(t, platform.url)
  const read = async (): Promise<readonly number[]> => {
    const delays: number[] = []
    const readOne = (): Promise<void> => {
      const seen = new Set<string>()
      const onData = (data: string): void => {
        for (const [written] of data.matchAll(/(?<=<)\d+\.\d+(?=>)/g))
          if (!seen.has(written) && seen.add(written)) delays.push(performance.now() - Number(written))
      }
      return invokeStream(platform.tokens['developer'] ?? '', 'paced', onData)(pool)
    }
    await Promise.all(Array.from({ length: streams }, readOne))
    if (delays.length !== streams * deltas) throw new Error(`${delays.length} tokens of ${streams * deltas}`)
    return delays
  }
  for (let turn = 0; turn < warmUps; turn++) await read()
  return {
    name,
    run: async () => {
      const delays = await read()
      return { 'delta p50 ms': quantile(delays, 0.5), 'delta p99 ms': quantile(delays, 0.99) }
    },
  }
}

async function startModel(t: Scope): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => void answer(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function answer(response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'text/event-stream')
  for (let sent = 0; sent < deltas; sent++) {
    await sleep(pauseMs)
    write(response, { index: 0, delta: { content: `<${performance.now().toFixed(3)}>` }, finish_reason: null })
  }
  write(response, { index: 0, delta: {}, finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}

function write(response: ServerResponse, choice: object): void {
  const chunk = { id: 'x', object: 'chat.completion.chunk', created: 0, model: 'test-1', choices: [choice] }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}
