import { createParser } from 'eventsource-parser'
import { Pool } from 'undici'
import type { Scope } from '#test/harness/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { patiently, warmUntilSteady } from '../tools/warm.ts'
import type { Warmth } from '../tools/warm.ts'

/** One operation of a caller; throws unless it succeeded. */
export type Operation = (pool: Pool) => Promise<void>

/** Latencies and throughput of a load. */
export interface LoadFigures extends Readonly<Record<string, number>> {
  readonly 'per second': number
  readonly 'p50 ms': number
  readonly 'p99 ms': number
}

/** Connections of one caller each. */
export function connect(t: Scope, url: string): Pool {
  const pool = new Pool(url, { connections: 128, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 })
  t.after(() => pool.destroy())
  return pool
}

/** Runs an operation this many times by a number of callers, each of which waits for its answer before the next. */
export async function runLoad(
  pool: Pool,
  operation: Operation,
  { callers, count }: { readonly callers: number; readonly count: number },
): Promise<LoadFigures> {
  const took: number[] = []
  let left = count
  const from = performance.now()
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const started = performance.now()
      await operation(pool)
      took.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - from) / 1000
  return { 'per second': count / seconds, 'p50 ms': quantile(took, 0.5), 'p99 ms': quantile(took, 0.99) }
}

/** Runs an operation some times before it is measured, for benches whose cost is not that of their code. */
export async function warmUp(
  pool: Pool,
  operation: Operation,
  load: { callers: number; count: number },
): Promise<void> {
  await runLoad(pool, (connection) => patiently(() => operation(connection)), load)
}

/** Warms by the same callers as the measured load. A starved start may refuse some operations. */
export async function warm(
  pool: Pool,
  operation: Operation,
  { cpu, callers, round }: { cpu(): number; readonly callers: number; readonly round: number },
): Promise<Warmth> {
  return warmUntilSteady({ cpu, round, load: (count) => warmUp(pool, operation, { callers, count }) })
}

/** `POST /api/invoke` that waits for the outcome. */
export function invoke(bearer: string, agent: string): Operation {
  const request = postOf('/api/invoke', bearer, { agent: { namespace: 'default', name: agent }, input: 'Hi' })
  return async (pool) => {
    const answer = await pool.request(request)
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || !text.includes('"succeeded"')) throw new Error(`${answer.statusCode} ${text}`)
  }
}

/** `POST /api/invoke` as server-sent events, until the end of the run. `onData` receives the data of each event. */
export function invokeStream(bearer: string, agent: string, onData?: (data: string) => void): Operation {
  const body = { agent: { namespace: 'default', name: agent }, input: 'Hi' }
  const request = postOf('/api/invoke', bearer, body, { accept: 'text/event-stream' })
  return async (pool) => {
    const answer = await pool.request(request)
    const parser = createParser({ onEvent: ({ data }) => onData?.(data) })
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      const more = decoder.decode(chunk, { stream: true })
      if (onData !== undefined) parser.feed(more)
      text += more
    }
    if (answer.statusCode !== 200 || !text.includes('succeeded')) throw new Error(`${answer.statusCode} ${text}`)
  }
}

/** A chat completion of the route `mock`, plain or streamed. */
export function chat(bearer: string, stream: boolean): Operation {
  const request = postOf('/v1/chat/completions', bearer, {
    model: 'mock',
    messages: [{ role: 'user', content: 'Hi' }],
    ...(stream ? { stream } : {}),
  })
  return async (pool) => {
    const answer = await pool.request(request)
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || !text.includes('MOCK_OK')) throw new Error(`${answer.statusCode} ${text}`)
  }
}

function postOf(path: string, bearer: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  } as const
}
