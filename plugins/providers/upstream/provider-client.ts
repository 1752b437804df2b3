import type { Dispatcher } from 'undici'
import { longTimeout } from '#core/async/long-timeout.ts'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { exchange } from '#core/http-client/request.ts'
import { writeLike } from '#core/json/write-like.ts'
import type { ProviderCall, ResponseSink } from '../contract/adapter.ts'
import { targetOfProvider } from './provider-target.ts'

/** A request in the API of the provider. */
export interface ProviderRequest {
  /** Path below the address of the provider. */
  readonly path: string
  /** Credentials and headers of the API, in addition to those of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Sends requests to providers. */
export interface ProviderClient {
  /** Rejects if there is no response or it is incomplete. */
  post(call: ProviderCall, request: ProviderRequest, sink: ResponseSink): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a client. Scheme, host and key come from the ModelProvider and its Secret only (B7), on guarded connections (M-2). Redirects
 * are never followed, since they would send the key elsewhere. Bytes are relayed as they arrive.
 */
export function createProviderClient(options: {
  readonly connections: number
  /** Time between two chunks of a response. */
  readonly idleMs: number
  readonly outbound: Pick<Outbound, 'open'>
}): ProviderClient {
  let connections: Dispatcher | undefined
  return {
    async post(call, { path, headers, body }, sink) {
      assertOutsideTransaction('a model provider')
      connections ??= options.outbound.open({ connections: options.connections })
      const target = targetOfProvider(call.provider, path)
      // Separate timer: timers of undici have a resolution of about a second.
      const late = new AbortController()
      const timer = longTimeout(() => late.abort(timeoutError()), call.firstByteMs)
      await exchange(connections, {
        origin: target.url.origin,
        path: target.url.pathname + target.url.search,
        method: 'POST',
        headers: { ...call.headers, ...target.headers, ...commonHeaders(call), ...headers },
        body: call.document === undefined ? JSON.stringify(body) : writeLike(call.document, body),
        signal: AbortSignal.any([call.signal, late.signal]),
        bodyTimeout: options.idleMs,
        onHead: (status, given) => {
          timer.cancel()
          sink.head(status, String(given['content-type'] ?? 'application/json'), first(given['retry-after']))
        },
        onData: (chunk) => sink.data(chunk),
      }).finally(() => timer.cancel())
    },
    close: async () => {
      await connections?.destroy()
    },
  }
}

// Built from an allowlist, never copied from the client (K2).
function commonHeaders({ traceparent, body }: ProviderCall): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: body.stream === true ? 'text/event-stream' : 'application/json',
    traceparent,
  }
}

function timeoutError(): Error {
  return Object.assign(new Error('no response in time'), { code: 'PROVIDER_TIMEOUT' })
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
