import type { Scope } from '#test/harness/scope.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { chat, connect } from './callers.ts'
import { toCandidate } from './measure.ts'
import { formNames, openForms } from './open-forms.ts'

const count = Number(process.env['BENCH_CALLS'] ?? 1000)
const callers = 8
const cpuMs: Readonly<Record<string, number>> = { PostgreSQL: 0.28, PGlite: 1 }
const nameOf = (form: string, stream: boolean): string => `${form}, ${stream ? 'streamed' : 'plain'}`

/** Chat completions of a person through port 4000, of a route without an upstream. */
export const bench: Bench = {
  title: `${count} calls of the route mock by ${callers} callers, per call: CPU by process (ms), statements and transactions, time (ms)`,
  database: 'fresh',
  measure: () => withScope(async (t) => interleave(await openCandidates(t), { rounds: 3, most: 4 })),
  goals: (figureOf) => formNames.flatMap((form) => goalsOf(figureOf, form)),
}

async function openCandidates(t: Scope): Promise<readonly Candidate[]> {
  const opened: Candidate[] = []
  for (const { form, platform } of await openForms()) {
    const pool = connect(t, platform.gatewayUrl)
    for (const stream of [false, true]) {
      const operation = chat(platform.tokens['developer'] ?? '', stream)
      opened.push(toCandidate({ name: nameOf(form, stream), platform, pool, operation, callers, count }))
    }
  }
  return opened
}

function goalsOf(figureOf: FigureOf, form: string): readonly Goal[] {
  const plain = nameOf(form, false)
  const cpu = {
    number: 23,
    text: `CPU of the platform per plain call, ${form}, ms`,
    value: figureOf(plain, 'platform cpu ms'),
    limit: cpuMs[form] ?? 1,
  }
  if (form !== 'PostgreSQL') return [cpu]
  return [
    cpu,
    { number: 23, text: 'plain calls a second', value: figureOf(plain, 'per second'), limit: 1500, atLeast: true },
  ]
}
