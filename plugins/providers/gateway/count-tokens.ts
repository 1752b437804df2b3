import type { ResponseSink } from '../contract/adapter.ts'
import type { ProvidersServices } from '../services.ts'
import { createClientResponse } from './client-response.ts'
import { tryInOrder } from './fallback.ts'
import type { GatewayCall } from './gateway-call.ts'
import { GatewayError } from './gateway-error.ts'
import type { Body } from './model-request.ts'
import { nativeMessagesApi } from './caller-api.ts'
import type { NativeMessages } from './native-messages.ts'
import type { NamedProvider } from './provider-failure.ts'
import { sendTo } from './send-to.ts'
import { targetsOf } from './targets.ts'
import { unmetered } from './usage-meter.ts'
import type { UsableRoute } from './usable-route.ts'

/** A request of Anthropic's API that counts the tokens of its input. */
export interface CountRequest {
  readonly route: UsableRoute
  readonly body: Body
  readonly native: NativeMessages
}

/** Relays a count. It is free at the provider, so that it is neither held nor metered. Throws before the first byte only. */
export async function countTokens(
  services: ProvidersServices,
  call: GatewayCall,
  { route, body, native: { betas } }: CountRequest,
): Promise<void> {
  const client = createClientResponse({
    ...call,
    api: nativeMessagesApi,
    meterOf: () => unmetered,
    onMeter: () => undefined,
  })
  const attempts = targetsOf(route).map((target) => ({
    provider: target,
    send: (sink: ResponseSink) => {
      call.response.setHeader('x-mesh-provider', `${target.namespace}/${target.name}`)
      // Defaults of the route are of messages: the API refuses them here.
      const bodyFor = (model: string) => ({ body: { ...body, model }, messages: { answer: 'tokens', betas } }) as const
      return sendTo(services, call, { operation: 'chat/completions', route, target, bodyFor, sink })
    },
  }))
  const onFailure = (provider: NamedProvider, failure: GatewayError): void =>
    services.metering.failed({ route, provider, failure, traceparent: call.traceparent })
  try {
    await tryInOrder(attempts, { client, signal: call.signal, onFailure })
    client.end()
  } catch (error) {
    if (!client.committed()) throw error
    client.breakOff(error)
  }
}

/** The error for a model that no provider with Anthropic's API serves. */
export function noTokenCount(): GatewayError {
  const message = 'The provider of this model does not count tokens: its API has no such request.'
  return new GatewayError(404, 'not_supported', message, { param: 'model' })
}
