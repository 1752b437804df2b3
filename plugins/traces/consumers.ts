import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import type { TracesServices } from './services/create-services.ts'
import { removeTraces } from './store/remove-spans.ts'

/** Removes the spans of a trace with its last run. */
export function tracesConsumers({ runs, removed }: TracesServices): readonly Consumer[] {
  return [
    on('traces.retention', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const traceIds = [...new Set(events.flatMap(({ data }) => data.traceId ?? []))].toSorted()
      if (traceIds.length === 0) return
      const held = await runs.heldTracesIn(tx, traceIds)
      const over = traceIds.filter((id) => !held.has(id))
      const chunks = await removeTraces(tx, over)
      tx.afterCommit(() => removed('run_deleted', chunks))
    }),
  ]
}
