import { defineCounter } from '#core/telemetry/metrics.ts'

/** Holds of money. */
export const budgetMetrics = {
  holds: defineCounter({
    name: 'mesh_budget_holds_total',
    help: 'Requested holds by outcome: held, spend, rate, concurrency, price_unknown, unbudgeted.',
    labels: ['outcome'],
    roles: ['gateway', 'state'],
  }),
  expired: defineCounter({
    name: 'mesh_budget_holds_expired_total',
    help: 'Holds that were charged because their lease ended without a settle.',
    labels: [],
    roles: ['worker'],
  }),
}
