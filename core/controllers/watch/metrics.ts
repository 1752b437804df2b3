import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Informers and reconcilers. Namespaces have the label `watched_namespace`: Prometheus sets `namespace` on targets and would rename it. */
export const controllerMetrics = {
  informerSynced: defineGauge({
    name: 'mesh_informer_synced',
    help: '1 while the informer of a kind has listed and is watching. watched_namespace is empty if all namespaces are served.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  informerWaiting: defineGauge({
    name: 'mesh_informer_waiting',
    help: 'Changes of a kind that were received and not yet stored: the lag behind the cluster.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  informerLists: defineCounter({
    name: 'mesh_informer_lists_total',
    help: 'Full lists of a kind, by reason: start, resumed (at the stored version, without a gap), expired.',
    labels: ['kind', 'watched_namespace', 'reason'],
    roles: ['manager'],
  }),
  informerGaps: defineCounter({
    name: 'mesh_informer_gaps_total',
    help: 'Announced gaps: changes in between may have been merged or missed.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  watchesDenied: defineGauge({
    name: 'mesh_watches_denied',
    help: 'Watches that the API server denies (403), by kind and namespace.',
    labels: ['kind', 'watched_namespace'],
    roles: ['gateway', 'manager'],
  }),
  reconcileSeconds: defineHistogram({
    name: 'mesh_reconcile_seconds',
    help: 'Duration of a reconciliation, by result: ok, error.',
    labels: ['reconciler', 'result'],
    roles: ['manager'],
    buckets: quickSeconds,
  }),
  reconcileQueue: defineGauge({
    name: 'mesh_reconcile_queue_depth',
    help: 'Objects waiting to be reconciled.',
    labels: ['reconciler'],
    roles: ['manager'],
  }),
}
