import type { Eraser } from '#plugins/erasures/contract/points.ts'
import type { FeedbackTables } from './contract/tables.ts'
import type { FeedbackServices } from './services.ts'
import { deleteScoresOf } from './store/scores.ts'

/** Erases the scores and comments that a person gave to runs of others. Those of the person's own runs are removed with the runs. */
export function createScoreEraser({ removed }: Pick<FeedbackServices, 'removed'>): Eraser {
  return {
    name: 'feedback',
    erase: async (tx, subject, limit) => {
      const erased = await deleteScoresOf(tx.tables<FeedbackTables>(), subject, limit)
      tx.afterCommit(() => removed(erased))
      return { erased, next: erased === limit ? 'more' : 'done' }
    },
  }
}
