import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'undici'
import type { Scope } from '#test/harness/scope.ts'
import { connect, warmUp } from '../runs/callers.ts'
import { formNames, openForms } from '../runs/open-forms.ts'
import type { OpenForm } from '../runs/open-forms.ts'
import type { Bench } from '../tools/bench.ts'
import { bearerOf } from '../tools/agents.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { patiently } from '../tools/warm.ts'
import { RESPONSE_MS, startKeyedUpstream } from './keyed-upstream.ts'
import type { KeyedUpstream } from './keyed-upstream.ts'
import { chatRequest, createRoute } from './model-objects.ts'

const perSecond = 200
const seconds = Number(process.env['BENCH_SECONDS'] ?? 10)
const provider = 'bench-keyed'
const nameOf = (form: string, isRotated: boolean): string =>
  `${form}, ${isRotated ? 'a new key each second' : 'one key'}`

/** Calls at a fixed rate, whatever their times, while the key of their provider is rotated each second. */
export const bench: Bench = {
  title: `${perSecond} calls a second for ${seconds} s to a provider of ${RESPONSE_MS} ms, with and without rotations of its key`,
  database: 'fresh',
  measure: () => withScope(async (t) => interleave(await openCandidates(t), { rounds: 3, most: 5 })),
  goals: (figureOf) =>
    formNames.flatMap((form) => {
      const rotated = nameOf(form, true)
      const peer = (figure: string) => ({ candidate: nameOf(form, false), figure })
      return [
        { text: `calls lost by rotations, ${form}`, value: figureOf(rotated, 'lost'), limit: 0, peer: peer('lost') },
        {
          text: `calls a second while keys are rotated, ${form}`,
          value: figureOf(rotated, 'per second'),
          limit: perSecond * 0.97,
          atLeast: true,
          peer: peer('per second'),
        },
      ]
    }),
}

async function openCandidates(t: Scope): Promise<readonly Candidate[]> {
  const opened: Candidate[] = []
  for (const form of await openForms()) opened.push(...(await candidatesOf(t, form)))
  return opened
}

async function candidatesOf(t: Scope, { form, platform }: OpenForm): Promise<readonly Candidate[]> {
  const upstream = await startKeyedUpstream(t)
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { ...bearerOf(platform), 'content-type': 'application/json' }
    const response = await fetch(`${platform.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  }
  let key = 'sk-bench-0'
  upstream.accepted.add(key)
  await post('/providers', { name: provider, type: 'openai', baseUrl: upstream.baseUrl, apiKey: key })
  await createRoute(platform, provider, { providerRef: { name: provider }, model: 'm' })
  let version = 0
  const rotate = async (isOver: () => boolean): Promise<number> => {
    if (isOver()) return 0
    const [former, next] = [key, `sk-bench-${++version}`]
    upstream.accepted.add(next)
    await post(`/providers/${provider}/rotate`, { apiKey: next })
    key = next
    return retire(upstream, { former, next, isOver })
  }
  const pool = connect(t, platform.gatewayUrl)
  const call = callOf(pool, platform.tokens['developer'] ?? '')
  await patiently(call)
  await warmUp(pool, call, { callers: 8, count: 1000 })
  return [false, true].map((isRotated) => ({
    name: nameOf(form, isRotated),
    run: () => measure(call, isRotated ? rotate : undefined),
  }))
}

interface Rotation {
  readonly former: string
  readonly next: string
  /** No call is under way any more. */
  readonly isOver: () => boolean
}

// As a person does: the former key ends after the next one was seen in use. Returns how long the former was used after the rotation.
async function retire({ accepted, lastUse }: KeyedUpstream, { former, next, isOver }: Rotation): Promise<number> {
  const rotatedAt = performance.now()
  // The rotation itself asks for the models with the next key.
  while ((lastUse.get(next) ?? 0) < rotatedAt && !isOver()) await sleep(5)
  await sleep(RESPONSE_MS * 2)
  accepted.delete(former)
  return Math.max(0, (lastUse.get(former) ?? 0) - rotatedAt)
}

function callOf(pool: Pool, bearer: string): () => Promise<void> {
  const request = chatRequest(bearer, provider)
  return async () => {
    const { statusCode, body } = await pool.request(request)
    const text = await body.text()
    if (statusCode !== 200 || !text.includes('fine')) throw new Error(`${statusCode} ${text}`)
  }
}

async function measure(call: () => Promise<void>, rotate?: (isOver: () => boolean) => Promise<number>) {
  const rotations: Promise<number>[] = []
  let isOver = false
  // One after another, in the middle of each second.
  const beside = (begun: number): void => {
    if (rotate === undefined || begun % perSecond !== perSecond / 2) return
    const former = rotations.at(-1) ?? Promise.resolve(0)
    rotations.push(former.then(() => rotate(() => isOver)))
  }
  const figures = await runAtRate(call, beside)
  isOver = true
  const formerMs = await Promise.all(rotations)
  return { ...figures, rotations: formerMs.length, 'former key in use ms': Math.max(0, ...formerMs) }
}

async function runAtRate(call: () => Promise<void>, beside: (begun: number) => void) {
  const took: number[] = []
  const lost: unknown[] = []
  const ask = async (startedAt: number): Promise<void> => {
    try {
      await call()
      took.push(performance.now() - startedAt)
    } catch (error) {
      lost.push(error)
    }
  }
  const pending: Promise<void>[] = []
  const from = performance.now()
  for (let begun = 0; begun < perSecond * seconds; begun++) {
    const due = from + (begun * 1000) / perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    pending.push(ask(performance.now()))
    beside(begun)
  }
  await Promise.all(pending)
  const lasted = (performance.now() - from) / 1000
  if (lost.length > 0) process.stderr.write(`${String(lost[0])}\n`)
  return {
    calls: pending.length,
    lost: lost.length,
    'per second': took.length / lasted,
    'p50 ms': quantile(took, 0.5),
    'p99 ms': quantile(took, 0.99),
  }
}
