import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** The servers of BFF, gateway and state. */
export const httpMetrics = {
  requestSeconds: defineHistogram({
    name: 'mesh_http_request_seconds',
    help: 'Time to the end of the answer, by template of the route and class of the status; event streams are not in it.',
    labels: ['method', 'route', 'status'],
    roles: ['bff', 'gateway', 'state'],
    buckets: quickSeconds,
  }),
  inFlight: defineGauge({
    name: 'mesh_http_requests_in_flight',
    help: 'Requests under way, event streams included.',
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
    help: 'Event streams refused for a cap (refused), cut since the client was too far behind (behind), or ended since the right was gone (revoked).',
    labels: ['reason'],
    roles: ['bff', 'gateway'],
  }),
}
