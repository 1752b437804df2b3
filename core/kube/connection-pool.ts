import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import type { Histogram, Metrics } from '#core/telemetry/metrics.ts'
import { kubeMetrics } from './metrics.ts'
import { createStallGate } from './circuit-breaker.ts'
import type { StallGate } from './circuit-breaker.ts'

/** How the API server is trusted and, for a kubeconfig with a client certificate, how we present ourselves. All PEM. */
export interface TlsOptions {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly serverName?: string | undefined
  /** `insecure-skip-tls-verify` of a kubeconfig. */
  readonly insecure?: boolean | undefined
}

/** The shared connections to one API server. Calls and long streams are apart, so that watches never starve calls. */
export interface KubePool {
  readonly server: string // origin, without a trailing slash
  readonly basePath: string // '' or the prefix of a proxied server, such as '/k8s/clusters/c1'
  readonly calls: Dispatcher
  readonly streams: Dispatcher
  /** Of the calls. */
  readonly gate: StallGate
  /** Time of the calls, where they are measured. */
  readonly seconds?: Histogram<'verb' | 'resource' | 'outcome'> | undefined
  /** Milliseconds for every call but watches and followed logs; default `DEADLINE_MS`. */
  readonly deadlineMs?: number | undefined
  close(): Promise<void>
}

// A frozen server is met by queueing here, not by ever more sockets (K4).
const MAX_CONNECTIONS = 128
// Two more for each connection may wait behind a server that is silent: after a thaw they are through in about a second.
const STALL = { underWay: 3 * MAX_CONNECTIONS, silentMs: 1_000 }

/** What a pool is given instead of making it. */
export interface PoolParts {
  readonly metrics?: Metrics | undefined
  /** Instead of connections of its own for the calls. */
  readonly calls?: Dispatcher | undefined
}

/** Opens no connection yet; the first call does. */
export function createPool(server: string, tls: TlsOptions = {}, { metrics, calls: given }: PoolParts = {}): KubePool {
  const url = new URL(server)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`server: ${url.protocol} is not http(s)`)
  const options = { connect: connectOptions(tls), headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }
  const calls = given ?? new Pool(url.origin, { ...options, connections: MAX_CONNECTIONS })
  const streams = new Pool(url.origin, { ...options, connections: null })
  return {
    server: url.origin,
    basePath: url.pathname.replace(/\/$/, ''),
    calls,
    streams,
    gate: createStallGate(STALL),
    seconds: metrics?.histogram(kubeMetrics.requestSeconds),
    close: async () => {
      // What was given is its owner's to close.
      await Promise.all([given === undefined ? calls.destroy() : undefined, streams.destroy()])
    },
  }
}

function connectOptions(tls: TlsOptions): NonNullable<Pool.Options['connect']> {
  return {
    timeout: 10_000,
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  }
}
