import type { ResponseSink } from '../contract/adapter.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import { createAttemptHeaders } from './response/attempt-headers.ts'
import { createClientResponse } from './response/client-response.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { GatewayError } from './errors/gateway-error.ts'
import type { Body } from './request/model-request.ts'
import { nativeMessagesApi } from './request/caller-api.ts'
import type { NativeMessages } from './request/native-messages.ts'
import type { NamedProvider } from './errors/provider-failure.ts'
import { sendTo } from './send-to.ts'
import { forwardingOf } from './targets/forwarding.ts'
import { planTargets } from './targets/plan-targets.ts'
import { tryInOrder } from './targets/try-in-order.ts'
import type { RoutedCall } from './targets/routed-call.ts'

/** A request of Anthropic's API that counts the tokens of its input. */
export interface CountRequest extends RoutedCall {
  readonly body: Body
  readonly native: NativeMessages
}

/** Relays a count. Counting is free at the provider, so it is neither held nor metered. Throws before the first byte only. */
export async function countTokens(
  services: ProvidersServices,
  call: GatewayCall,
  { route, headers, body, native: { betas } }: CountRequest,
): Promise<void> {
  const client = createClientResponse({ ...call, api: nativeMessagesApi })
  const made = createAttemptHeaders(call, route)
  const attempts = planTargets(services.circuits, route, call.runId).map((target) => ({
    provider: target,
    circuit: target.circuit,
    send: (sink: ResponseSink) => {
      made.next(target)
      // Defaults of the route are for messages: the API refuses them here.
      const bodyFor = (model: string) => ({ body: { ...body, model }, messages: { answer: 'tokens', betas } }) as const
      return sendTo(services, call, { operation: 'chat/completions', route, target, headers, bodyFor, sink })
    },
  }))
  const onFailure = (provider: NamedProvider, failure: GatewayError): void =>
    services.metering.failed({ route, provider, failure, traceparent: call.traceparent })
  try {
    await tryInOrder(attempts, { ...forwardingOf(call, route), client, onFailure })
    client.end()
  } catch (error) {
    if (!client.committed()) throw error
    client.breakOff(error)
  }
}

/** The error for a model that has no provider with Anthropic's API. */
export function noTokenCount(): GatewayError {
  const message = 'The provider of this model does not count tokens: its API has no such request.'
  return new GatewayError(404, 'not_supported', message, { param: 'model' })
}
