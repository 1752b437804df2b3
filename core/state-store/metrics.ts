import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineHistogram } from '#core/telemetry/metrics.ts'

/** The state store. */
export const stateStoreMetrics = {
  callSeconds: defineHistogram({
    name: 'mesh_state_store_call_seconds',
    help: 'Duration of a call to Valkey or Redis by outcome: done, failed, unavailable.',
    labels: ['outcome'],
    roles: ['state'],
    buckets: quickSeconds,
  }),
}
