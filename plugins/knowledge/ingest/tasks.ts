import { Type } from 'typebox'
import { defineTask } from '#core/tasks/task.ts'

/** Reads one document and stores its chunks. One of a namespace at a time per worker: a tenant's thousand files delay no other tenant. */
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
 * Divides again what was divided by other settings, and gives vectors to chunks without one of the current model. Enqueued after each
 * ingest and change of the spec; one that finds nothing to do ends immediately.
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
