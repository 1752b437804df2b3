import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineHistogram } from '#core/telemetry/metrics.ts'

/** The object store. */
export const objectStoreMetrics = {
  callSeconds: defineHistogram({
    name: 'mesh_object_store_call_seconds',
    help: 'Duration of a call to the object store by operation and outcome: done, too_large, refused, unavailable, foreign (no object store).',
    labels: ['operation', 'outcome'],
    roles: ['state'],
    buckets: quickSeconds,
  }),
}
