import type { Operation, ProviderCall, ResponseSink } from '../contract/adapter.ts'
import { modelAdapter } from '../contract/points.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { GatewayError } from './errors/gateway-error.ts'
import { fromConnection, misconfigured, nameOfProvider } from './errors/provider-failure.ts'
import type { SentCall } from './targets/try-in-order.ts'
import { loadTarget } from './route/targets.ts'
import type { LoadedTarget, RouteTarget } from './route/targets.ts'
import type { UsableRoute } from './route/usable-route.ts'

/** The part of a call that an adapter sends. */
export type SentRequest = Pick<ProviderCall, 'body' | 'messages'>

/** One attempt at a provider of a route. */
export interface Attempt {
  readonly operation: Operation
  readonly route: UsableRoute
  readonly target: RouteTarget
  /** Headers of the caller that the provider receives, and Via. */
  readonly headers: Readonly<Record<string, string>>
  /** The request with the provider's own model id. */
  readonly bodyFor: (id: string) => SentRequest
  readonly sink: ResponseSink
  /** Called with the provider before the request is sent. */
  readonly onLoaded?: (loaded: LoadedTarget) => void
}

/** Sends a request to a provider with its key. Throws `GatewayError` with the host. */
export async function sendTo(
  services: ProvidersServices,
  call: GatewayCall,
  { operation, route, target, headers, bodyFor, sink, onLoaded }: Attempt,
): Promise<SentCall> {
  const loaded = await loadTarget(call.gateway, route, target, services.settings.firstByteTimeout * 1000)
  onLoaded?.(loaded)
  const adapter = services.core.extensions(modelAdapter).find(({ type }) => type === loaded.spec.type)
  if (adapter === undefined)
    throw misconfigured(
      'no_adapter',
      `${nameOfProvider(target)}: this installation has no adapter for the type ${loaded.spec.type}.`,
    )
  const request = {
    operation,
    provider: loaded.spec,
    ...bodyFor(loaded.model),
    document: call.document(),
    headers,
    key: loaded.key,
    firstByteMs: Math.min(loaded.firstByteMs, Math.max(1, (call.deadlineAt ?? Infinity) - performance.now())),
    traceparent: call.traceparent,
    signal: call.signal,
  }
  // Adds the host, which is known here. A disconnected client and our own errors are rethrown unchanged.
  await adapter.send(request, sink).catch((error: unknown) => {
    throw call.signal.aborted || error instanceof GatewayError
      ? error
      : fromConnection({ ...target, host: loaded.host }, error)
  })
  return { hasKey: loaded.key !== undefined }
}
