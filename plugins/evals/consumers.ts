import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runCancelled, runFailed, runRejected, runSucceeded, runTimedOut } from '#plugins/runs/contract/events.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { EvalTables } from './contract/tables.ts'
import { endEvaluationIn } from './execute/finish.ts'
import type { EvalsServices } from './contract/services.ts'
import { sampleRuns } from './online/sample-runs.ts'
import { lockEvaluation } from './store/evaluations.ts'

const failures: readonly EventType<{ readonly runId: string }>[] = [runFailed, runCancelled, runTimedOut, runRejected]

const SAMPLE_MS = 5_000

/** Selects runs to be scored, and ends evaluations whose runs ended otherwise. */
export function evalsConsumers(services: EvalsServices): readonly Consumer[] {
  const { now } = services
  const options = { order: 'none', from: 'start' } as const
  return [
    // Runs are sampled together every few seconds, so that a run costs a part of a transaction.
    on('evals.online', [runSucceeded], { order: 'none', from: 'now', everyMs: SAMPLE_MS }, (events, tx) =>
      sampleRuns(services, tx, events),
    ),
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
