import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** HTTP metrics of BFF, gateway and state. */
export const httpMetrics = {
  requestSeconds: defineHistogram({
    name: 'mesh_http_request_seconds',
    help: 'Request duration, by route template and status class; event streams excluded.',
    labels: ['method', 'route', 'status'],
    roles: ['bff', 'gateway', 'state'],
    buckets: quickSeconds,
  }),
  inFlight: defineGauge({
    name: 'mesh_http_requests_in_flight',
    help: 'Requests in progress, including event streams.',
    labels: [],
    roles: ['bff', 'gateway', 'state'],
  }),
  refused: defineCounter({
    name: 'mesh_http_requests_refused_total',
    help: 'Requests refused by a limit of the settings, by its name under `limits`.',
    labels: ['limit'],
    roles: ['bff', 'gateway', 'state'],
  }),
  streamsOpen: defineGauge({
    name: 'mesh_event_streams_open',
    help: 'Open event streams.',
    labels: [],
    roles: ['bff', 'gateway'],
  }),
  streamsDropped: defineCounter({
    name: 'mesh_event_streams_dropped_total',
    help: 'Event streams refused by a limit (refused), or closed because the client lagged (behind), after a revocation (revoked), or since the handler failed (failed).',
    labels: ['reason'],
    roles: ['bff', 'gateway'],
  }),
}
