import type { Scope } from '#test/harness/scope.ts'
import { createConfigured } from '../tools/agents.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { connect, invoke, invokeStream } from './callers.ts'
import type { Operation } from './callers.ts'
import { startHops, startInserts } from './floors.ts'
import type { MeasuredPlatform } from './forms.ts'
import { langgraphFolder, startLanggraph, waitForLanggraph } from './langgraph.ts'
import { toCandidate } from './measure.ts'
import { openLiveDeltas } from './live-deltas.ts'
import { openForms } from './open-forms.ts'

const count = Number(process.env['BENCH_RUNS'] ?? 120)
const isLook = process.env['BENCH_RUNS'] !== undefined && process.env['BENCH_CASES'] !== 'all'
const peer = 'langgraph dev'

const limits = {
  PostgreSQL: { cpuMs: 3.5, p50Ms: 10, perSecond: 150 },
  PGlite: { cpuMs: 8, p50Ms: 45, perSecond: undefined },
} as const
type Limits = (typeof limits)[keyof typeof limits]

/** Runs by POST /api/invoke that wait for the outcome, beside their floors and a peer. BENCH_RUNS measures the base case only, unless BENCH_CASES=all. */
export const bench: Bench = {
  title: `${count} runs from request to outcome, per run: CPU by process (ms), statements and transactions, time (ms)`,
  database: 'fresh',
  measure: () =>
    withScope(async (t) => {
      const measured = await interleave(await openCandidates(t), { rounds: 2, most: 3 })
      return { ...measured, notes: [...notes, ...(measured.notes ?? [])] }
    }),
  goals: (figureOf, has) =>
    Object.entries(limits).flatMap(([form, limit]) => (has(form) ? goalsOf(figureOf, has, form, limit) : [])),
}

const notes = [
  'A form alone is a declarative agent with the route mock, 8 callers that wait by POST /api/invoke.',
  'live: 8 streams at once, from the write of a token by the model to its arrival at the client.',
  'CPU of platform is that of its own process or of all roles; agents are the launchers with their agents.',
  'The floors do the HTTP requests of a run and store nothing, or insert its rows in one transaction and request nothing.',
  ...(langgraphFolder === undefined ? ['langgraph dev was not measured (BENCH_LANGGRAPH).'] : []),
]

async function openCandidates(t: Scope): Promise<readonly Candidate[]> {
  const opened: Candidate[] = []
  for (const { form, platform } of await openForms()) {
    const cases = Object.entries(await casesOf(platform))
    for (const [name, one] of cases.filter(([title]) => isMeasured(form, title)))
      opened.push(await open(t, platform, { name: form + name, ...one }))
    if (!isLook) opened.push(await openLiveDeltas(t, platform, `${form}, live`))
    if (form === 'PostgreSQL' && !isLook)
      opened.push(await open(t, await startInserts(t, platform), { name: 'the same inserts', ...floor }))
  }
  if (!isLook) opened.push(await open(t, await startHops(t), { name: 'the same requests', ...floor }))
  if (langgraphFolder !== undefined)
    opened.push(
      await open(t, await startLanggraph(t, langgraphFolder), { name: peer, operation: waitForLanggraph, callers: 8 }),
    )
  return opened
}

// Every case on PostgreSQL; elsewhere those with a goal.
function isMeasured(form: string, name: string): boolean {
  if (isLook) return name === ''
  return form === 'PostgreSQL' || name === '' || name === ', 1 caller'
}

interface Case {
  readonly operation: Operation
  readonly callers: number
}

const floor: Case = { operation: invoke('', ''), callers: 8 }

async function casesOf(platform: MeasuredPlatform): Promise<Readonly<Record<string, Case>>> {
  const most = { concurrency: 64 }
  await createConfigured(platform, { name: 'hello', model: { route: 'mock' }, limits: most })
  if (!isLook) await createConfigured(platform, { name: 'program', runtime: { command }, limits: most })
  const bearer = platform.tokens['developer'] ?? ''
  const hello = invoke(bearer, 'hello')
  return {
    '': { operation: hello, callers: 8 },
    ', 1 caller': { operation: hello, callers: 1 },
    ', 64 callers': { operation: hello, callers: 64 },
    ', stream': { operation: invokeStream(bearer, 'hello'), callers: 8 },
    ', own program': { operation: invoke(bearer, 'program'), callers: 8 },
  }
}

const program = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json')
    response.end(request.url === '/healthz' ? '{}' : '{"output":"Hi"}')
  })
}).listen(process.env.AGENT_PORT, '127.0.0.1')`
const command = ['node', '-e', program]

async function open(t: Scope, platform: MeasuredPlatform, one: Case & { readonly name: string }): Promise<Candidate> {
  const pool = connect(t, platform.url)
  // The peer takes a second per run.
  return toCandidate({ ...one, platform, pool, count: one.name === peer ? Math.min(count, 48) : count })
}

function goalsOf(
  figureOf: FigureOf,
  has: (candidate: string) => boolean,
  form: string,
  limit: Limits,
): readonly Goal[] {
  const cpu = figureOf(form, 'platform cpu ms')
  const single = `${form}, 1 caller`
  const live = `${form}, live`
  const beside = { candidate: peer, figure: 'platform cpu ms' }
  return [
    { number: 19, text: `CPU per run, 8 callers, ${form}, ms`, value: cpu, limit: limit.cpuMs, peer: beside },
    ...(form === 'PostgreSQL' && has(peer)
      ? [
          {
            number: 19,
            text: 'CPU per run against langgraph dev, ratio',
            value: cpu / figureOf(peer, 'platform cpu ms'),
            limit: 1,
            peer: beside,
          },
        ]
      : []),
    ...(has(single)
      ? [{ number: 19, text: `p50, 1 caller, ${form}, ms`, value: figureOf(single, 'p50 ms'), limit: limit.p50Ms }]
      : []),
    ...(limit.perSecond === undefined
      ? []
      : [
          {
            number: 19,
            text: `CPU per run of platform, agents and servers, 8 callers, ${form}, ms`,
            value: figureOf(form, 'sum cpu ms'),
            limit: 9,
          },
          {
            number: 19,
            text: 'runs a second, 8 callers',
            value: figureOf(form, 'per second'),
            limit: limit.perSecond,
            atLeast: true,
          },
        ]),
    ...(has(live)
      ? [
          {
            number: 19,
            text: `delta from the model to a client of 8, p99, ${form}, ms`,
            value: figureOf(live, 'delta p99 ms'),
            limit: 50,
          },
        ]
      : []),
    { number: 20, text: `statements per run, ${form}`, value: figureOf(form, 'statements'), limit: 30 },
    { number: 20, text: `transactions per run, ${form}`, value: figureOf(form, 'transactions'), limit: 6 },
  ]
}
