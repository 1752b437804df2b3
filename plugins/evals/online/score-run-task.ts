import { Type } from 'typebox'
import { defineTask } from '#core/tasks/task.ts'

/** Scores a run in production. Its queue has room for what the limit per day selects of a hundred agents of a namespace. */
export const scoreRunTask = defineTask({
  name: 'evals.score-run',
  payload: Type.Object({ runId: Type.String() }),
  maxAttempts: 5,
  deadlineMs: 3 * 60_000,
  backoff: { minMs: 2_000, maxMs: 5 * 60_000 },
  concurrency: 8,
  perNamespace: 2,
  maxQueued: 1_000_000,
})
