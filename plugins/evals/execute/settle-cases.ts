import type { ChildRun } from '#plugins/runs/contract/points.ts'
import { parseMicros } from '#schemas/values/money.ts'
import type { EvalTables, SelectedEvalCase } from '../contract/tables.ts'
import { createEvaluatorContext } from '../evaluators/evaluator-context.ts'
import type { JudgeOfRun } from '../evaluators/evaluator-context.ts'
import { scoreOutput } from '../evaluators/score-output.ts'
import type { ScoredBy } from '../evaluators/score-output.ts'
import { failCase, repeatCase, scoreCase } from '../store/cases.ts'
import { addCosts } from '../store/evaluations.ts'
import type { EvaluationStep } from './step.ts'
import { combineScores } from './combine-scores.ts'

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'rejected'])

/** How a step settled cases whose runs have ended. */
export interface SettledCases {
  /** Cases with an outcome. */
  readonly settled: number
  /** Cases that wait for a second run. */
  readonly repeated: number
  /** Whether the cap of the judge left others without a score. */
  readonly isCapped: boolean
}

/** Scores the cases whose runs have ended or wait for a person. A case whose run was lost waits for a second one. */
export async function settleCases(step: EvaluationStep, started: readonly SelectedEvalCase[]): Promise<SettledCases> {
  if (started.length === 0) return { settled: 0, repeated: 0, isCapped: false }
  const { run } = step
  const children = await run.children(started.flatMap(({ run_id }) => run_id ?? []))
  const byId = new Map(children.map((child) => [child.runId, child]))
  const done = started.flatMap((one) => {
    const child = byId.get(one.run_id ?? '')
    return child !== undefined && (ended.has(child.state) || child.state === 'paused') ? [{ one, child }] : []
  })
  const lost = done.filter(({ one, child }) => isRepeated(step, one, child))
  const others = done.filter((one) => !lost.includes(one))
  for (const { one, child } of lost) await repeat(step, one, child)
  const settled = await Promise.all(others.map(({ one, child }) => settle(step, one, child)))
  return { settled: settled.length, repeated: lost.length, isCapped: settled.includes('capped') }
}

// A run that was lost with its pod says nothing about the revision. Calls of live tools may have had their effect, and are not made twice.
function isRepeated({ evaluation }: EvaluationStep, one: SelectedEvalCase, child: ChildRun): boolean {
  const { liveTools = [] } = evaluation.suite_spec
  return child.failReason === 'lost_worker' && !one.was_lost && liveTools.length === 0
}

async function repeat({ run }: EvaluationStep, one: SelectedEvalCase, child: ChildRun): Promise<void> {
  await run.save({
    also: async (tx) => {
      const db = tx.tables<EvalTables>()
      await repeatCase(db, one)
      await addCosts(db, run.id, { judge: 0n, runs: child.cost?.micros ?? 0n })
    },
  })
}

async function settle(step: EvaluationStep, one: SelectedEvalCase, child: ChildRun): Promise<'settled' | 'capped'> {
  const { run, evaluation } = step
  let judge = 0n
  const found = await scoresOf(step, { one, child, spent: (micros) => (judge += micros) })
  // Its case stays open, so that another worker stops for the same reason.
  const isCapped = 'error' in found && found.isCapped
  await run.save({
    also: async (tx) => {
      const db = tx.tables<EvalTables>()
      if (!('error' in found)) {
        const combined = combineScores(evaluation.suite_spec, found.scores, evaluation.min_score)
        await scoreCase(db, one, { ...found, ...combined })
      } else if (!isCapped) await failCase(db, one, found.error)
      await addCosts(db, run.id, { judge, runs: isCapped ? 0n : (child.cost?.micros ?? 0n) })
    },
  })
  return isCapped ? 'capped' : 'settled'
}

interface EndedCase {
  readonly one: SelectedEvalCase
  readonly child: ChildRun
  readonly spent: (micros: bigint) => void
}

async function scoresOf(step: EvaluationStep, { one, child, spent }: EndedCase): Promise<ScoredBy> {
  if (child.state === 'paused') return failed('The run waits for a person, which an evaluation does not have.')
  if (child.state !== 'succeeded') return failed(`The run ended as ${child.state}: ${child.failReason ?? 'no reason'}.`)
  const { services, run, evaluation } = step
  const tools = await run.toolsOf(child.runId)
  const { input, metadata = {}, ...content } = one.content ?? { input: null }
  const expected = 'expected' in content ? { expected: content.expected } : {}
  const scored = { caseId: one.case_id, input, metadata, output: child.output, tools, ...expected }
  const context = createEvaluatorContext(services.core, run.signal, judgeOf(step, child.runId, spent))
  const evaluators = { used: evaluation.suite_spec.evaluators, known: services.evaluators() }
  return scoreOutput(evaluators, scored, context, services.core.log)
}

function judgeOf(
  { worker, evaluation }: EvaluationStep,
  runId: string,
  spent: EndedCase['spent'],
): JudgeOfRun | undefined {
  const { namespace, agent: name, agent_uid: uid, suite_spec: spec, id } = evaluation
  if (spec.judge === undefined) return undefined
  const { route, maxCost } = spec.judge
  const { amount, currency = 'USD' } = maxCost
  return {
    models: worker.models,
    payer: { kind: 'agent', namespace, name, uid },
    runId,
    route: `${namespace}/${route.name}`,
    cap: { id, window: 'total', amount, currency },
    spent: (cost) => {
      if (cost.currency === currency) spent(parseMicros(cost.amount))
    },
  }
}

function failed(error: string): ScoredBy {
  return { error, isCapped: false }
}
