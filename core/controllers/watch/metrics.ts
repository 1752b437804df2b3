import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Informers and reconcilers. Namespaces have the label `watched_namespace`: `namespace` is a target's own and would be renamed at the scrape. */
export const controllerMetrics = {
  informerSynced: defineGauge({
    name: 'mesh_informer_synced',
    help: '1 while the informer of a kind has listed and follows it. watched_namespace is empty where all namespaces are served.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  informerWaiting: defineGauge({
    name: 'mesh_informer_waiting',
    help: 'Changes of a kind that were read and are not stored yet: how far the events are behind the cluster.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  informerLists: defineCounter({
    name: 'mesh_informer_lists_total',
    help: 'Full lists of a kind by reason: start, resumed (at the version where the last manager left off, which merges nothing), expired.',
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
    help: 'Watches of informers and reconcilers that the API server denies (403), by kind and namespace.',
    labels: ['kind', 'watched_namespace'],
    roles: ['manager'],
  }),
  reconcileSeconds: defineHistogram({
    name: 'mesh_reconcile_seconds',
    help: 'Time of a reconciliation by result: ok, error.',
    labels: ['reconciler', 'result'],
    roles: ['manager'],
    buckets: quickSeconds,
  }),
  reconcileQueue: defineGauge({
    name: 'mesh_reconcile_queue_depth',
    help: 'Objects that wait to be reconciled.',
    labels: ['reconciler'],
    roles: ['manager'],
  }),
}
