import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/events.ts'
import type { TracesServices } from './services.ts'
import { removeTrace } from './store/remove-spans.ts'

/** Removes the spans of a trace with its last run. */
export function tracesConsumers({ runs, removed }: TracesServices): readonly Consumer[] {
  return [
    on('traces.retention', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const traceIds = [...new Set(events.flatMap(({ data }) => data.traceId ?? []))].toSorted()
      if (traceIds.length === 0) return
      const held = await runs.heldTracesIn(tx, traceIds)
      for (const traceId of traceIds.filter((id) => !held.has(id))) {
        const chunks = await removeTrace(tx, traceId)
        tx.afterCommit(() => removed('run_deleted', chunks))
      }
    }),
  ]
}
