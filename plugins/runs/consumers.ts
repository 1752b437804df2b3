import { on } from '#core/messaging/consumer/consumer.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { decideCancel } from './lifecycle/decide.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import {
  cancelRequested,
  runCancelled,
  runCreated,
  runDeleted,
  runFailed,
  runPaused,
  runRejected,
  runRequeued,
  runResumed,
  runStarted,
  runSucceeded,
  runTimedOut,
} from './contract/events.ts'
import { countRunsIn } from './store/sums/count-runs.ts'
import { lockLeases } from './store/internal/lease.ts'
import { openChildren } from './store/internal/open-children.ts'
import type { RunsTables } from './contract/tables.ts'
import type { RunWriter } from './lifecycle/run-writer.ts'

const worker = { name: 'system:mesh:worker', kind: 'system' } as const

/** Events after which a run adds something else to the statistics. */
const counted: readonly EventType<{ readonly runId: string | null }>[] = [
  runCreated,
  runStarted,
  runRequeued,
  runPaused,
  runResumed,
  cancelRequested,
  runSucceeded,
  runFailed,
  runCancelled,
  runTimedOut,
  runRejected,
  runDeleted,
  modelCallMetered,
]

// A run of up to two seconds changes the statistics twice instead of once per event.
const STATISTICS_EVERY_MS = 2000

/** Cancels the child runs of a cancelled run, recursively, and counts runs for the statistics. */
export function runsConsumers(writer: RunWriter): readonly Consumer[] {
  return [
    on(
      'runs.statistics',
      counted,
      { order: 'none', from: 'start', everyMs: STATISTICS_EVERY_MS },
      async (events, tx) => {
        const ids = new Set(events.flatMap(({ data: { runId } }) => runId ?? []))
        await countRunsIn(tx.tables<RunsTables>(), [...ids])
      },
    ),
    on('runs.cascade', [cancelRequested], { order: 'none', from: 'start' }, async (events, tx) => {
      const db = tx.tables<RunsTables>()
      for (const { actor = worker, data } of events) {
        const children = await openChildren(db, data.runId)
        await lockLeases(db, children)
        for (const child of children)
          await writer.changeIn(tx, child, { actor }, (run) => ({
            facts: terminalStates.has(run.state) ? [] : decideCancel(run),
          }))
      }
    }),
  ]
}
