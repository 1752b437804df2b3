import { describeError } from '#core/log/describe-error.ts'
import type { ChildRun } from '#plugins/runs/contract/points.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import type { EvalTables, SelectedEvalCase } from '../contract/tables.ts'
import { failCase, scoreCase } from '../store/cases.ts'
import type { CaseScore } from '../store/cases.ts'
import { addRunCost } from '../store/evaluations.ts'
import { createEvaluatorContext } from './evaluator-context.ts'
import type { EvaluationStep } from './step.ts'
import { combineScores } from './combine-scores.ts'

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'rejected'])

type Outcome =
  | { readonly error: string }
  | { readonly score: number; readonly passed: boolean; readonly scores: readonly CaseScore[] }

/** Scores the cases whose runs have ended or wait for a person. Returns their number. */
export async function settleCases(step: EvaluationStep, started: readonly SelectedEvalCase[]): Promise<number> {
  if (started.length === 0) return 0
  const { run } = step
  const children = await run.children(started.flatMap(({ run_id }) => run_id ?? []))
  const byId = new Map(children.map((child) => [child.runId, child]))
  const done = started.flatMap((one) => {
    const child = byId.get(one.run_id ?? '')
    return child !== undefined && (ended.has(child.state) || child.state === 'paused') ? [{ one, child }] : []
  })
  await Promise.all(done.map(({ one, child }) => settle(step, one, child)))
  return done.length
}

async function settle(step: EvaluationStep, one: SelectedEvalCase, child: ChildRun): Promise<void> {
  const { run } = step
  const outcome = await judge(step, one, child)
  await run.save({
    also: async (tx) => {
      const db = tx.tables<EvalTables>()
      if ('error' in outcome) await failCase(db, one, outcome.error)
      else await scoreCase(db, one, outcome)
      await addRunCost(db, run.id, child.cost?.micros ?? 0n)
    },
  })
}

async function judge(step: EvaluationStep, one: SelectedEvalCase, child: ChildRun): Promise<Outcome> {
  if (child.state === 'paused') return { error: 'The run waits for a person, which an evaluation does not have.' }
  if (child.state !== 'succeeded')
    return { error: `The run ended as ${child.state}: ${child.failReason ?? 'no reason'}.` }
  const { services, run, evaluation } = step
  const { evaluators } = evaluation.suite_spec
  const tools = await run.toolsOf(child.runId)
  const { input, metadata = {}, ...content } = one.content ?? { input: null }
  const expected = 'expected' in content ? { expected: content.expected } : {}
  const scored = { caseId: one.case_id, input, metadata, output: child.output, tools, ...expected }
  const context = createEvaluatorContext(step, child.runId)
  const scores: CaseScore[] = []
  for (const { name, type, config = {} } of evaluators) {
    const evaluator = services.evaluators().find((known) => known.type === type)
    if (evaluator === undefined) return { error: `${name}: no plugin has the evaluator ${type}.` }
    try {
      const { score, note = null } = await evaluator.evaluate(scored, config, context)
      if (!(score >= 0 && score <= 1)) return { error: `${name}: the score is not from 0 to 1.` }
      scores.push({ evaluator: name, score, note: note === null ? null : note.slice(0, 1_000) })
    } catch (error) {
      run.signal.throwIfAborted()
      services.core.log.warn({ evaluation: run.id, evaluator: name, ...describeError(error) }, 'a case has no score')
      return { error: `${name}: ${toReason(error)}` }
    }
  }
  return { scores, ...combineScores(evaluation.suite_spec, scores, evaluation.min_score) }
}

function toReason(error: unknown): string {
  return error instanceof Error ? toStorable(error.message.slice(0, 300)) : 'failed'
}
