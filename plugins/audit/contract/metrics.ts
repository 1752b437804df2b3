import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** The audit trail (interface, audit). A BFF exports its own drops under the manager's name. */
export const auditMetrics = {
  prunedRows: defineCounter({
    name: 'mesh_audit_pruned_rows_total',
    help: 'Audit rows deleted by retention together with their day.',
    labels: [],
    roles: ['manager'],
  }),
  pruneFailures: defineCounter({
    name: 'mesh_audit_prune_failures_total',
    help: 'Failed retention rounds.',
    labels: [],
    roles: ['manager'],
  }),
  pruneLastSuccess: defineGauge({
    name: 'mesh_audit_prune_last_success_seconds',
    help: 'Unix time of the last successful retention round.',
    labels: [],
    roles: ['manager'],
  }),
  sealedUntil: defineGauge({
    name: 'mesh_audit_sealed_until_seconds',
    help: 'Unix time at which the newest sealed day ends; 0 before the first.',
    labels: [],
    roles: ['manager'],
  }),
  droppedRows: defineCounter({
    name: 'mesh_audit_dropped_rows_total',
    help: 'Audit rows that were dropped.',
    labels: [],
    roles: ['manager', 'bff'],
  }),
  webhookEvents: defineCounter({
    name: 'mesh_audit_webhook_events_total',
    help: "Events of the API server's audit webhook by result; unusable: a change without the resulting object.",
    labels: ['result'],
    roles: ['manager'],
  }),
  spooledRows: defineGauge({
    name: 'mesh_audit_spooled_rows',
    help: 'Outcomes in the spool of this process that are not in the store yet.',
    labels: [],
    roles: ['bff'],
  }),
}
