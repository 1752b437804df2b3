import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import type { FeedbackServices } from './services.ts'
import { deleteScores } from './store/scores.ts'
import type { FeedbackTables } from './contract/tables.ts'

/** Removes the scores of removed runs: by their retention, and with their namespace. */
export function feedbackConsumers({ removed }: FeedbackServices): readonly Consumer[] {
  return [
    on('feedback.retention', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const runIds = events.map(({ data }) => data.runId)
      const scores = await deleteScores(tx.tables<FeedbackTables>(), runIds)
      tx.afterCommit(() => removed(scores))
    }),
  ]
}
