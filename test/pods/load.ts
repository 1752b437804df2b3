import { setTimeout as sleep } from 'node:timers/promises'
import { sample } from '#test/chaos/open-loop.ts'
import type { LoadAnswer, Sample } from '#test/chaos/open-loop.ts'
import { createSend } from '#test/flows/platform/send.ts'
import type { RawAnswer, RawRequest, Send } from '#test/flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'
import { at } from './api.ts'

/** A steady mix of reads and writes through the BFF's Service, and what was accepted. */
export interface Load {
  readonly samples: readonly Sample[]
  /** Ids of runs whose creation or invoke succeeded. */
  readonly runs: ReadonlySet<string>
  /** Names of templates whose creation succeeded. */
  readonly templates: ReadonlySet<string>
  /** Number of GETs sent again because a kept-alive connection was closed before the response. */
  readonly retried: () => number
  stop(): Promise<readonly Sample[]>
}

/** Requests per second; fewer if the machine is slower. */
export const perSecond = 100
// Bounded like a service's connection pool. Without the bound, a busy machine receives requests faster than it answers, and only the queue
// is measured.
const mostWaiting = 64
const patienceMs = 20_000
const namespace = 'demo'
const accepted: ReadonlySet<number> = new Set([200, 201, 202])

/**
 * Starts the load: of 40 requests 24 list, 12 get, 1 creates a template, 2 create a run, 1 invokes and waits. Half of the runs call the
 * model.
 */
export function startLoad(t: Scope, url: string, bearer: string): Load {
  const counts = { retried: 0 }
  const runs = new Set<string>()
  const templates = new Set<string>()
  const send = patient(againWhenClosed(createSend(t, url), counts))
  const loop = startLoop(async (n): Promise<LoadAnswer> => {
    const request = requestOf(n)
    const answer = await send({ bearer, ...request })
    if (!accepted.has(answer.status) || request.method !== 'POST') return answer
    if (request.path === '/api/templates') templates.add(templateName(n))
    else runs.add(runIdOf(answer))
    return answer
  })
  t.after(() => loop.stop())
  return { samples: loop.samples, runs, templates, retried: () => counts.retried, stop: loop.stop }
}

/** Whether a request did not succeed. */
export function isFailed({ status }: Sample): boolean {
  return !accepted.has(status)
}

function startLoop(request: (n: number) => Promise<LoadAnswer>): Pick<Load, 'samples' | 'stop'> {
  const stopped = new AbortController()
  const samples: Sample[] = []
  const waiting = new Set<Promise<void>>()
  const send = (n: number): void => {
    const one: Promise<void> = sample(() => request(n))
      .then((found) => void samples.push(found))
      .finally(() => waiting.delete(one))
    waiting.add(one)
  }
  const loop = async (): Promise<void> => {
    const started = performance.now()
    for (let [due, sent] = [0, 0]; !stopped.signal.aborted; await sleep(5)) {
      for (; due < ((performance.now() - started) / 1_000) * perSecond; due++)
        if (waiting.size < mostWaiting) send(sent++)
    }
  }
  const running = loop()
  const stop = async (): Promise<readonly Sample[]> => {
    stopped.abort()
    await running
    await Promise.all(waiting)
    return samples
  }
  return { samples, stop }
}

function requestOf(n: number): RawRequest {
  const turn = n % 40
  const agent = { namespace, name: n % 80 < 40 ? 'hello' : 'logged' }
  if (turn < 24) return { path: `/api/agents?namespace=${namespace}` }
  if (turn < 36) return { path: `/api/agents/${namespace}/hello` }
  if (turn < 37) return { method: 'POST', path: '/api/templates', body: template(templateName(n)) }
  if (turn < 39) return { method: 'POST', path: '/api/runs', body: { agent, input: 'Hi' } }
  return { method: 'POST', path: '/api/invoke', body: { agent, input: 'Hi', timeout: '15s' } }
}

function template(name: string): object {
  return { metadata: { namespace, name }, spec: { title: 'T', template: { spec: { model: { route: 'mock' } } } } }
}

function templateName(n: number): string {
  return `t-${n}`
}

function runIdOf(answer: RawAnswer): string {
  const body: unknown = answer.json()
  const id = at(body, 'runId') ?? at(body, 'id')
  if (typeof id !== 'string') throw new Error(`an accepted run without an id: ${answer.text}`)
  return id
}

// Repeats a GET whose kept-alive connection was closed before the first byte, as browsers, Go and nginx do.
function againWhenClosed(send: Send, counts: { retried: number }): Send {
  const attempt = async (request: RawRequest, left: number): Promise<RawAnswer> => {
    try {
      return await send(request)
    } catch (error) {
      if (left === 0 || request.method !== undefined || !closedBeforeAnswer(error)) throw error
      counts.retried++
      return attempt(request, left - 1)
    }
  }
  return (request) => attempt(request, 5)
}

// 'aborted' is a connection closed within a response.
function closedBeforeAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && error.message !== 'aborted'
}

// A pod killed without grace takes its address with it, so its connections are never closed.
function patient(send: Send): Send {
  return async (request) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('no response in time')), patienceMs)
    return Promise.race([send(request), late.promise]).finally(() => clearTimeout(timer))
  }
}
