import type { Metrics } from '#core/telemetry/metrics.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { httpMetrics } from './metrics.ts'

const texts = {
  perCallerPerMinute: 'requests of one user in a minute',
  perAddressPerMinute: 'unauthenticated requests of one address in a minute',
  rejectedPerAddressPerMinute: 'bearers of one address were rejected in a minute',
  authenticationsPerAddress: 'bearers of one address are being authenticated',
  underWay: 'requests are in progress',
  underWayPerCaller: 'requests of one user are in progress',
  waitsPerCaller: 'requests of one user wait for a run',
  bodyBytes: 'bytes of request bodies are in progress',
  bodyBytesPerCaller: 'bytes of request bodies of one user are in progress',
  bodySeconds: 'seconds have passed and the body is not complete',
  streams: 'event streams are open',
  streamsPerUser: 'event streams of one user are open',
} as const

/** Names of the limits: keys of `limits` in the settings. */
export type Limit = keyof typeof texts

// 503 for a limit of the replica, 429 for a limit of one user or address.
const ofReplica: ReadonlySet<Limit> = new Set(['underWay', 'bodyBytes'])

/** Creates the error of a reached limit and counts it in `mesh_http_requests_refused_total`. */
export type Refuse = (limit: Limit, value: number, retryAfter?: number) => Fail

/** Creates the error factory of one server. */
export function createRefuse(metrics: Metrics | undefined): Refuse {
  const refused = metrics?.counter(httpMetrics.refused)
  return (limit, value, retryAfter = 1) => {
    refused?.inc({ limit })
    const detail = `limits.${limit}: ${value} ${texts[limit]}.`
    if (limit === 'bodySeconds') return new Fail('request_timeout', detail, { headers: { connection: 'close' } })
    return new Fail(ofReplica.has(limit) ? 'overloaded' : 'too_many_requests', detail, { retryAfter })
  }
}
