import { Type } from 'typebox'
import { defineTask } from '#core/tasks/task.ts'

/** Reads one document and stores its chunks. One task per namespace and worker at a time: a thousand files of one tenant do not delay another. */
export const ingestTask = defineTask({
  name: 'knowledge.ingest',
  payload: Type.Object({ ingest: Type.String() }),
  maxAttempts: 5,
  deadlineMs: 10 * 60_000,
  backoff: { minMs: 2_000, maxMs: 5 * 60_000 },
  concurrency: 2,
  perNamespace: 1,
  maxQueued: 2_000,
})

/**
 * Re-chunks documents that were chunked with other settings, and embeds chunks without a vector of the current model. Enqueued after each ingest and
 * change of the spec; ends immediately if there is nothing to do.
 */
export const refreshTask = defineTask({
  name: 'knowledge.refresh',
  payload: Type.Object({ base: Type.String() }),
  maxAttempts: 6,
  deadlineMs: 10 * 60_000,
  backoff: { minMs: 1_000, maxMs: 60_000 },
  concurrency: 2,
  perNamespace: 1,
  maxQueued: 5_000,
})
