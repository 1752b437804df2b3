import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Shares of runs. No label has a token, a name or an address. */
export const sharingMetrics = {
  created: defineCounter({
    name: 'mesh_sharing_shares_total',
    help: 'Requests for shares by outcome (created, repeated, refused by a quota, revoked).',
    labels: ['outcome'],
    roles: ['bff'],
  }),
  reads: defineCounter({
    name: 'mesh_sharing_reads_total',
    help: 'Reads of shared runs by outcome (shown, unknown, limited).',
    labels: ['outcome'],
    roles: ['bff'],
  }),
  removed: defineCounter({
    name: 'mesh_sharing_removed_total',
    help: 'Removed shares by reason (expired, run for those of a removed run or namespace, or erasure).',
    labels: ['reason'],
    roles: ['worker'],
  }),
  storedBytes: defineGauge({
    name: 'mesh_sharing_stored_bytes',
    help: 'Bytes of all shares, as read by each worker.',
    labels: [],
    roles: ['worker'],
  }),
}
