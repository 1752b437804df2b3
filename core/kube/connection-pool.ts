import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import type { Histogram, Metrics } from '#core/telemetry/metrics.ts'
import { kubeMetrics } from './metrics.ts'
import { createStallGate } from './circuit-breaker.ts'
import type { StallGate } from './circuit-breaker.ts'

/** Certificate authorities of the API server and, for a kubeconfig with one, the client certificate. All PEM. */
export interface TlsOptions {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly serverName?: string | undefined
  /** `insecure-skip-tls-verify` of a kubeconfig. */
  readonly insecure?: boolean | undefined
}

/** Shared connections to one API server. Calls and long streams have separate connections, so that watches never starve calls. */
export interface KubePool {
  readonly server: string // origin, without a trailing slash
  readonly basePath: string // '' or the prefix of a proxied server, such as '/k8s/clusters/c1'
  readonly calls: Dispatcher
  readonly streams: Dispatcher
  /** Circuit breaker of the calls. */
  readonly gate: StallGate
  /** Histogram of call durations. */
  readonly seconds?: Histogram<'verb' | 'resource' | 'outcome'> | undefined
  /** Deadline of every call except watches and followed logs; default `DEADLINE_MS`. */
  readonly deadlineMs?: number | undefined
  close(): Promise<void>
}

// Behind a frozen server calls queue here instead of opening more sockets (K4).
const MAX_CONNECTIONS = 128
// Two more per connection may wait behind a silent server; after its recovery they complete within about a second.
const STALL = { underWay: 3 * MAX_CONNECTIONS, silentMs: 1_000 }

/** Replacements for parts of the pool. */
export interface PoolParts {
  readonly metrics?: Metrics | undefined
  /** Dispatcher to use for calls in place of own connections. */
  readonly calls?: Dispatcher | undefined
}

/** Creates a pool without connecting; the first call connects. */
export function createPool(server: string, tls: TlsOptions = {}, { metrics, calls: given }: PoolParts = {}): KubePool {
  const url = new URL(server)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`server: ${url.protocol} is not http(s)`)
  const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }
  // One watch or call per connection: streams of one HTTP/2 connection would share its fate and its flow control.
  const options = { connect: connectOptions(tls), allowH2: false, ...timeouts }
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
      // A given dispatcher is closed by its owner.
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
