import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import { eraseCasesOfRuns } from './store/erase-cases.ts'

/** Erases the cases that were made from the runs of an erased person. Cases outlive runs that are removed for another reason. */
export function datasetsConsumers(): readonly Consumer[] {
  return [
    on('datasets.erased-runs', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const runIds = events.flatMap(({ data }) => (data.erased === undefined ? [] : data.runId))
      if (runIds.length > 0) await eraseCasesOfRuns(tx, runIds)
    }),
  ]
}
