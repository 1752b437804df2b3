import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import { runCancelled, runFailed, runRejected, runTimedOut } from '#plugins/runs/contract/events.ts'
import type { EventType } from '#core/event-store/event.ts'
import { parseMicros } from '#schemas/values/money.ts'
import type { EvalTables } from './contract/tables.ts'
import { endEvaluationIn } from './execute/finish.ts'
import type { EvalsServices } from './contract/services.ts'
import { addJudgeCost, lockEvaluation } from './store/evaluations.ts'

const failures: readonly EventType<{ readonly runId: string }>[] = [runFailed, runCancelled, runTimedOut, runRejected]

/** Adds the cost of judges, and ends evaluations whose runs ended otherwise. */
export function evalsConsumers({ now }: EvalsServices): readonly Consumer[] {
  const options = { order: 'none', from: 'start' } as const
  return [
    on('evals.judge-cost', [modelCallMetered], options, async (events, tx) => {
      for (const { data } of events) {
        // Only calls of a role have a payer: those of an agent are none of a judge.
        if (data.payer === undefined || data.runId === null || !data.cost) continue
        await addJudgeCost(tx.tables<EvalTables>(), data.runId, parseMicros(data.cost.amount))
      }
    }),
    on('evals.ended-runs', failures, options, async (events, tx) => {
      for (const { data, type } of events) {
        const evaluation = await lockEvaluation(tx.tables<EvalTables>(), data.runId)
        if (evaluation === undefined) continue
        const isCancelled = type === runCancelled.type
        const ended = isCancelled
          ? ({ phase: 'Cancelled', reason: 'Cancelled', message: 'Its run was cancelled.' } as const)
          : ({ phase: 'Error', reason: 'RunFailed', message: 'The run that executes it did not succeed.' } as const)
        await endEvaluationIn(tx, evaluation, { ...ended, at: now() })
      }
    }),
  ]
}
