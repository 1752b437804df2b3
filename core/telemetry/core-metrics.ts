import { defineCounter, defineGauge, defineHistogram } from './metrics.ts'

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const slow = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300]
const servers = ['bff', 'gateway', 'state'] as const
const workers = ['worker', 'manager'] as const

/** The servers of BFF, gateway and state. */
export const httpMetrics = {
  requestSeconds: defineHistogram({
    name: 'mesh_http_request_seconds',
    help: 'Time to the end of the answer, by template of the route and class of the status; event streams are not in it.',
    labels: ['method', 'route', 'status'],
    roles: servers,
    buckets: quick,
  }),
  inFlight: defineGauge({
    name: 'mesh_http_requests_in_flight',
    help: 'Requests under way, event streams included.',
    labels: [],
    roles: servers,
  }),
  refused: defineCounter({
    name: 'mesh_http_requests_refused_total',
    help: 'Requests refused by a limit of the settings, by its name under `limits`.',
    labels: ['limit'],
    roles: servers,
  }),
  streamsOpen: defineGauge({
    name: 'mesh_event_streams_open',
    help: 'Open event streams.',
    labels: [],
    roles: ['bff', 'gateway'],
  }),
  streamsDropped: defineCounter({
    name: 'mesh_event_streams_dropped_total',
    help: 'Event streams refused for a cap (refused), cut since the client was too far behind (behind), or ended since the right was gone (revoked).',
    labels: ['reason'],
    roles: ['bff', 'gateway'],
  }),
}

/** Calls to the API server. Namespaces have the label `watched_namespace`: `namespace` is a target's own and would be renamed at the scrape. */
export const clusterMetrics = {
  requestSeconds: defineHistogram({
    name: 'mesh_cluster_request_seconds',
    help: 'Time of a call to the API server; for a watch and a log, to its first byte. Outcome: ok, denied, missing, conflict, throttled, invalid, unavailable, timeout, aborted.',
    labels: ['verb', 'resource', 'outcome'],
    roles: ['bff', 'manager', 'gateway', 'state'],
    buckets: quick,
  }),
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
    buckets: quick,
  }),
  reconcileQueue: defineGauge({
    name: 'mesh_reconcile_queue_depth',
    help: 'Objects that wait to be reconciled.',
    labels: ['reconciler'],
    roles: ['manager'],
  }),
}

/** The store. */
export const storeMetrics = {
  transactSeconds: defineHistogram({
    name: 'mesh_store_transact_seconds',
    help: 'Time of a transaction with its retries, by outcome: committed, failed.',
    labels: ['outcome'],
    roles: ['every'],
    buckets: quick,
  }),
  retries: defineCounter({
    name: 'mesh_store_transact_retries_total',
    help: 'Transactions run again after a deadlock or a serialization failure.',
    labels: [],
    roles: ['every'],
  }),
  appendLockSeconds: defineHistogram({
    name: 'mesh_store_append_lock_wait_seconds',
    help: 'Wait of a transaction for the lock that gives events their positions.',
    labels: [],
    roles: ['every'],
    buckets: quick,
  }),
  connections: defineGauge({
    name: 'mesh_store_connections',
    help: 'Connections of the pool by state: in_use, idle; waiting counts who waits for one.',
    labels: ['state'],
    roles: ['every'],
  }),
}

/** The log of events, the relay and the consumers. */
export const eventMetrics = {
  outboxEvents: defineGauge({
    name: 'mesh_outbox_lag_events',
    help: 'Events that the relay has not published, counted up to 10,000, as each worker sees it.',
    labels: [],
    roles: ['worker'],
  }),
  outboxSeconds: defineGauge({
    name: 'mesh_outbox_lag_seconds',
    help: 'Age of the oldest event that the relay has not published; 0 when there is none.',
    labels: [],
    roles: ['worker'],
  }),
  published: defineCounter({
    name: 'mesh_relay_events_published_total',
    help: 'Events that the bus has acknowledged.',
    labels: [],
    roles: ['worker'],
  }),
  relayFailures: defineCounter({
    name: 'mesh_relay_failures_total',
    help: 'Rounds of the relay that failed: the bus or the store was away.',
    labels: [],
    roles: ['worker'],
  }),
  handled: defineCounter({
    name: 'mesh_consumer_events_total',
    help: 'Events handled by a consumer.',
    labels: ['consumer'],
    roles: workers,
  }),
  delaySeconds: defineHistogram({
    name: 'mesh_consumer_delay_seconds',
    help: 'Time from an event to the COMMIT of its effect.',
    labels: ['consumer'],
    roles: workers,
    buckets: slow,
  }),
  consumerLag: defineGauge({
    name: 'mesh_consumer_lag_seconds',
    help: 'Age of the oldest event above the floor below which a consumer has done everything. A sweep raises the floor once a minute, so that long is normal.',
    labels: ['consumer'],
    roles: ['worker'],
  }),
  deadLetters: defineGauge({
    name: 'mesh_dead_letters',
    help: 'Events in the dead-letter table.',
    labels: ['consumer'],
    roles: ['worker'],
  }),
  died: defineCounter({
    name: 'mesh_consumer_dead_letters_total',
    help: 'Events that a consumer gave up on.',
    labels: ['consumer'],
    roles: workers,
  }),
}

/** Jobs and leadership. Their label is `name`: `job` is Prometheus' own and would be renamed at the scrape. */
export const workMetrics = {
  jobSeconds: defineHistogram({
    name: 'mesh_job_seconds',
    help: 'Time of a round of a job by outcome: ok, failed.',
    labels: ['name', 'outcome'],
    roles: workers,
    buckets: slow,
  }),
  jobSuccess: defineGauge({
    name: 'mesh_job_last_success_seconds',
    help: 'Unix time of the last good round of a job.',
    labels: ['name'],
    roles: workers,
  }),
  leader: defineGauge({
    name: 'mesh_leader',
    help: '1 while this process leads the row of that name.',
    labels: ['name'],
    roles: workers,
  }),
  leaderEpoch: defineGauge({
    name: 'mesh_leader_epoch',
    help: 'Epoch of the last term of this process.',
    labels: ['name'],
    roles: workers,
  }),
}

/** The process as a whole. */
export const processMetrics = {
  dependencyAvailable: defineGauge({
    name: 'mesh_dependency_available',
    help: '1 while the dependency (store, bus, cluster) answers this process, else 0.',
    labels: ['dependency'],
    roles: ['bff', 'state', 'manager', 'worker', 'gateway'],
  }),
}

/** Traces. */
export const traceMetrics = {
  exported: defineCounter({
    name: 'mesh_trace_spans_exported_total',
    help: 'Spans that the collector took.',
    labels: [],
    roles: ['every'],
  }),
  dropped: defineCounter({
    name: 'mesh_trace_spans_dropped_total',
    help: 'Spans dropped: the collector was away or the queue was full.',
    labels: [],
    roles: ['every'],
  }),
}
