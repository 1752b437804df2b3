import type { Server } from 'node:http'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { createProbeServer } from '../probes/probe-server.ts'
import { describeReadiness } from './readiness.ts'
import type { ReadinessProbe } from './readiness.ts'

/** Content of the admin port, and the hosts it serves. */
export interface AdminOptions {
  readonly readiness: ReadinessProbe['read']
  readonly metrics: Metrics
  /** Host names served besides those of loopback (H1); undefined: any. */
  readonly hosts?: readonly string[] | undefined
}

/** Serves `/livez`, `/readyz?verbose` and `/metrics` for kubelet and Prometheus, without authentication and without secrets. */
export function createAdminServer({ readiness, metrics, hosts }: AdminOptions): Server {
  return createProbeServer(async (path, query) => {
    if (path === '/livez') return { status: 200, body: 'ok\n' }
    if (path === '/metrics')
      return { status: 200, body: await metrics.render(), type: 'text/plain; version=0.0.4; charset=utf-8' }
    if (path !== '/readyz') return undefined
    const verbose = new URLSearchParams(query).has('verbose')
    const found = await readiness({ verbose })
    // A failure is always listed in detail.
    return { status: found.ready ? 200 : 503, body: verbose || !found.ready ? describeReadiness(found) : 'ok\n' }
  }, hosts)
}
