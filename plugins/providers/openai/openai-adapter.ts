import { longTimeout } from '#core/async/long-timeout.ts'
import type { Dispatcher } from 'undici'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { exchange } from '#core/http-client/request.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { ModelAdapter, ProviderCall } from '../adapter.ts'
import { baseUrlOf } from './base-url.ts'

/**
 * Client for any endpoint with the OpenAI API. Scheme, host and key come from the ModelProvider and its Secret only (B7), on
 * guarded connections (M-2). Redirects are never followed, since they would send the key elsewhere. Bytes are relayed as they arrive.
 */
export function createOpenAiAdapter(options: {
  readonly connections: number
  readonly outbound: Pick<Outbound, 'open'>
}): ModelAdapter {
  let connections: Dispatcher | undefined
  return {
    type: 'openai',
    async send(call, sink) {
      assertOutsideTransaction('a model provider')
      connections ??= options.outbound.open({ connections: options.connections })
      const url = new URL(`${baseUrlOf(call.provider).replace(/(?<!\/)\/+$/, '')}/${call.operation}`)
      // Separate timer: timers of undici have a resolution of about a second.
      const late = new AbortController()
      const timer = longTimeout(() => late.abort(timeoutError()), call.firstByteMs)
      await exchange(connections, {
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers: headersOf(call),
        body: JSON.stringify(call.body),
        signal: AbortSignal.any([call.signal, late.signal]),
        bodyTimeout: 120_000,
        onHead: (status, headers) => {
          timer.cancel()
          sink.head(status, String(headers['content-type'] ?? 'application/json'), first(headers['retry-after']))
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
function headersOf({ provider, key, traceparent, body }: ProviderCall): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: body.stream === true ? 'text/event-stream' : 'application/json',
    traceparent,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(provider.organization === undefined ? {} : { 'openai-organization': provider.organization }),
  }
}

function timeoutError(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'PROVIDER_TIMEOUT' })
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
