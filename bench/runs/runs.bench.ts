import type { Scope } from '#test/harness/scope.ts'
import { createConfigured } from '../tools/agents.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { connect, invoke, runLoad } from './callers.ts'
import { toCandidate } from './measure.ts'
import { openForms } from './open-forms.ts'

const count = Number(process.env['BENCH_RUNS'] ?? 200)
const callers = 8
const limits = {
  PostgreSQL: { cpuMs: 10, perSecond: 80 },
  PGlite: { cpuMs: 25, perSecond: undefined },
} as const

/** Runs of a declarative agent with the route `mock`, by POST /api/invoke that waits for the outcome. */
export const bench: Bench = {
  title: `${count} runs from request to outcome, per run: CPU by process (ms), statements and transactions, time (ms)`,
  measure: () => withScope(async (t) => interleave(await openCandidates(t), { rounds: 3, most: 5 })),
  goals: (figureOf, has) =>
    Object.entries(limits).flatMap(([form, limit]) => (has(form) ? goalsOf(figureOf, form, limit) : [])),
}

async function openCandidates(t: Scope): Promise<readonly Candidate[]> {
  const opened: Candidate[] = []
  for (const { form, platform } of await openForms(t)) {
    await createConfigured(platform, { name: 'hello', model: { route: 'mock' }, limits: { concurrency: 64 } })
    const pool = connect(t, platform.url)
    const operation = invoke(platform.tokens['developer'] ?? '', 'hello')
    await runLoad(pool, operation, { callers, count: 60 }) // excludes JIT compilation and cold caches
    opened.push(toCandidate({ name: form, platform, pool, operation, callers, count }))
  }
  return opened
}

function goalsOf(figureOf: FigureOf, form: string, limit: { cpuMs: number; perSecond: number | undefined }): Goal[] {
  const one = (number: number, text: string, figure: string, bound: number): Goal => {
    return { number, text: `${text}, ${form}`, value: figureOf(form, figure), limit: bound }
  }
  return [
    one(19, `CPU of the platform per run, ${callers} callers, ms`, 'platform cpu ms', limit.cpuMs),
    one(20, 'SQL statements per run', 'statements', 30),
    one(20, 'transactions per run', 'transactions', 6),
    ...(limit.perSecond === undefined
      ? []
      : [{ ...one(19, 'runs a second', 'per second', limit.perSecond), atLeast: true }]),
  ]
}
