import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Erasures of people. */
export const erasureMetrics = {
  erased: defineCounter({
    name: 'mesh_erasures_items_total',
    help: 'Erased items by what they are, such as runs.',
    labels: ['of'],
    roles: ['worker'],
  }),
  oldest: defineGauge({
    name: 'mesh_erasures_oldest_seconds',
    help: 'Age of the oldest erasure that is not finished; 0 without one.',
    labels: [],
    roles: ['worker'],
  }),
}
