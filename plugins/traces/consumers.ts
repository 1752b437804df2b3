import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import type { TracesServices } from './services/create-services.ts'
import { removeSpansOfRuns } from './store/remove-spans.ts'

/** Removes the contents of a run with it, and the spans of a trace with its last run. */
export function tracesConsumers({ runs, removed }: TracesServices): readonly Consumer[] {
  return [
    on('traces.retention', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const traceIds = [...new Set(events.flatMap(({ data }) => data.traceId ?? []))].toSorted()
      const runIds = events.map(({ data }) => data.runId)
      const held = await runs.heldTracesIn(tx, traceIds)
      const over = traceIds.filter((id) => !held.has(id))
      const chunks = await removeSpansOfRuns(tx, { runIds, traceIds, over })
      tx.afterCommit(() => removed('run_deleted', chunks))
    }),
  ]
}
