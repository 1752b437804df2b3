import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineHistogram } from '#core/telemetry/metrics.ts'

/** Calls to the API server. */
export const kubeMetrics = {
  requestSeconds: defineHistogram({
    name: 'mesh_cluster_request_seconds',
    help: 'Duration of a call to the API server; for watches and logs, until the first byte. Outcome: ok, denied, missing, conflict, throttled, invalid, unavailable, timeout, aborted.',
    labels: ['verb', 'resource', 'outcome'],
    roles: ['bff', 'manager', 'gateway', 'state'],
    buckets: quickSeconds,
  }),
}
