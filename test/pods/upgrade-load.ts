import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { terminalStates } from '#schemas/runs/run.ts'
import type { Scope } from '#test/harness/scope.ts'
import { apiOf, at, until } from './api.ts'
import type { Answer, Api } from './api.ts'

/** Addresses and the caller of the load. */
export interface LoadTarget {
  readonly bffUrl: string
  readonly gatewayUrl: string
  readonly bearer: string
}

/** Result of a load, by the message that each request sent. */
export interface LoadResult {
  /** Final state of each accepted run, with the reason if it did not succeed. */
  readonly runs: ReadonlyMap<string, string>
  /** Messages of model calls that got a response. */
  readonly calls: readonly string[]
  /** Requests that failed, with their status or error. */
  readonly failed: readonly string[]
}

/** Runs and model calls, one of each after another. */
export interface Load {
  /** Resolves after `count` more runs and as many more model calls, or at the first failure. */
  more(count: number): Promise<void>
  /** Stops the load. Resolves when each accepted run has ended. */
  ended(): Promise<LoadResult>
}

const refused: ReadonlySet<number> = new Set([429, 503])
const over: ReadonlySet<unknown> = new Set(terminalStates)
const giveUpMs = 120_000

/**
 * Starts runs of team-a's agent `hello`, two at a time, and model calls of the caller, one at a time, until `ended`. Each waits for the end of
 * the one before, so that a busy machine gets less.
 */
export function startLoad(t: Scope, { bffUrl, gatewayUrl, bearer }: LoadTarget, name: string): Load {
  const stopped = new AbortController()
  t.after(() => stopped.abort())
  const bff = apiOf(bffUrl, bearer)
  const gateway = apiOf(gatewayUrl, bearer)
  const runs = new Map<string, string>()
  const calls: string[] = []
  const failed: string[] = []
  const loop = async (what: string, one: (message: string) => Promise<void>): Promise<void> => {
    for (let n = 1; !stopped.signal.aborted; n++, await sleep(200)) {
      const message = `${name} ${what} ${n}.`
      await one(message).catch((error: unknown) => failed.push(`${message} ${String(error)}`))
    }
  }
  const runAgent = async (message: string): Promise<void> => {
    const body = { agent: { namespace: 'team-a', name: 'hello' }, input: message }
    const { status, body: run } = await repeated(bff, '/api/runs', body, { 'idempotency-key': randomUUID() })
    const id = at(run, 'id')
    if (typeof id !== 'string') throw new Error(`${status} ${JSON.stringify(run)}`)
    runs.set(message, await finalState(bff, id))
  }
  const callModel = async (message: string): Promise<void> => {
    const body = { model: 'team-a/default', messages: [{ role: 'user', content: message }] }
    const { status, body: completion } = await repeated(gateway, '/v1/chat/completions', body)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(completion)}`)
    calls.push(message)
  }
  const running = Promise.all([loop('run', runAgent), loop('other run', runAgent), loop('call', callModel)])
  return {
    more: async (count) => {
      const wanted = { runs: runs.size + count, calls: calls.length + count }
      while (failed.length === 0 && (runs.size < wanted.runs || calls.length < wanted.calls)) await sleep(100)
    },
    ended: async () => {
      stopped.abort()
      await running
      return { runs, calls, failed }
    },
  }
}

/** Repeats what was refused before anything happened, and, with a key, what got no response. */
async function repeated(
  api: Api,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  for (const deadline = Date.now() + giveUpMs; ; await sleep(200)) {
    try {
      const response = await api('POST', path, body, headers)
      if (!refused.has(response.status) || Date.now() > deadline) return response
    } catch (error) {
      if (headers['idempotency-key'] === undefined || Date.now() > deadline) throw error
    }
  }
}

async function finalState(bff: Api, id: string): Promise<string> {
  // A read is repeated when its connection ends.
  const read = (): Promise<Answer> =>
    bff('GET', `/api/runs/${id}`).catch((error) => ({ status: 0, body: String(error) }))
  const run = await until(`run ${id} has ended`, read, (body) => over.has(at(body, 'state')), giveUpMs)
  const [state, reason, error] = ['state', 'failReason', 'error'].map((field) => at(run, field))
  return state === 'succeeded' ? state : `${String(state)}: ${String(reason)}, ${JSON.stringify(error)}`
}
