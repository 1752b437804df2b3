import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { Scope } from '#test/harness/scope.ts'
import { connect } from '../runs/callers.ts'
import type { Operation } from '../runs/callers.ts'
import { toCandidate } from '../runs/measure.ts'
import { formNames, openForms } from '../runs/open-forms.ts'
import type { OpenForm } from '../runs/open-forms.ts'
import { patiently } from '../tools/warm.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { chatRequest, createProvider, createRoute } from './model-objects.ts'

// Short rounds, many of them: what else the machine does then affects both routes alike.
const count = Number(process.env['BENCH_CALLS'] ?? 800)
const callers = 8
const target = (name: string) => ({ providerRef: { name: `bench-${name}` }, model: 'mock' })
const routes: Readonly<Record<string, ModelRouteSpec>> = {
  plain: target('a'),
  routed: {
    targets: [
      { ...target('a'), weight: 70 },
      { ...target('b'), weight: 30 },
    ],
    fallbacks: [target('c')],
    retries: 1,
    circuitBreaker: { failures: 5, openFor: '30s' },
  },
}
const nameOf = (form: string, route: string): string => `${form}, ${route}`

/** Calls of a route with targets, retries, a fallback and circuits, against those of a route with one provider. */
export const bench: Bench = {
  title: `${count} plain calls by ${callers} callers, per call, of a route with one provider (plain) and of one with targets, retries, a fallback and circuits (routed)`,
  database: 'fresh',
  measure: () => withScope(async (t) => interleave(await openCandidates(t), { rounds: 11, most: 15 })),
  goals: (figureOf) => formNames.flatMap((form) => goalsOf(figureOf, form)),
}

async function openCandidates(t: Scope): Promise<readonly Candidate[]> {
  const opened: Candidate[] = []
  for (const form of await openForms()) opened.push(...(await candidatesOf(t, form)))
  return opened
}

async function candidatesOf(t: Scope, { form, platform }: OpenForm): Promise<readonly Candidate[]> {
  for (const name of ['a', 'b', 'c']) await createProvider(platform, `bench-${name}`, { type: 'mock' })
  const pool = connect(t, platform.gatewayUrl)
  const opened: Candidate[] = []
  for (const [route, spec] of Object.entries(routes)) {
    await createRoute(platform, `bench-${route}`, spec)
    const operation = callOf(platform.tokens['developer'] ?? '', `bench-${route}`)
    await patiently(() => operation(pool))
    opened.push(toCandidate({ name: nameOf(form, route), platform, pool, operation, callers, count }))
  }
  return opened
}

// Each call is answered by the first target that is called.
function callOf(bearer: string, route: string): Operation {
  const request = chatRequest(bearer, route)
  return async (pool) => {
    const { statusCode, headers, body } = await pool.request(request)
    const text = await body.text()
    if (statusCode !== 200 || !text.includes('MOCK_OK') || headers['x-mesh-attempts'] !== '1')
      throw new Error(`${statusCode} ${String(headers['x-mesh-attempts'])} ${text}`)
  }
}

// The gateway has a process of its own in one form only.
function goalsOf(figureOf: FigureOf, form: string): readonly Goal[] {
  const cpu = form === 'process per role' ? 'gateway cpu ms' : 'platform cpu ms'
  const compared = [
    { figure: cpu, what: form === 'process per role' ? 'CPU of the gateway' : 'CPU of the platform' },
    { figure: 'p50 ms', what: 'p50' },
  ]
  return compared.map(({ figure, what }) => ({
    text: `${what}, a call of a route with targets and circuits against a plain one, ${form}, ratio`,
    value: figureOf(nameOf(form, 'routed'), figure) / figureOf(nameOf(form, 'plain'), figure),
    limit: 1.05,
    peer: { candidate: nameOf(form, 'plain'), figure },
  }))
}
