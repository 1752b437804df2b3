import type { MessageUsage } from '#core/model-apis/usage/message-usage.ts'
import { createDocumentMeter } from '#core/model-apis/usage/response-meter.ts'
import type { ResponseMeter } from '#core/model-apis/usage/response-meter.ts'
import { createStreamMeter } from '#core/model-apis/usage/stream-meter.ts'
import { costHeader } from '#core/role-models/spend-cap.ts'
import type { ResponseSink, Operation } from '../contract/adapter.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import type { CallCost, CallPayer, ServedCall } from '../contract/points.ts'
import { filterResponse } from '../filters/response/filter-response.ts'
import type { FilteredResponse } from '../filters/response/filter-response.ts'
import type { CallFilters } from '../filters/call-filters.ts'
import { createAttemptHeaders } from './response/attempt-headers.ts'
import { createClientResponse } from './response/client-response.ts'
import type { ClientResponse } from './response/client-response.ts'
import type { NamedProvider } from './errors/provider-failure.ts'
import { withOutputLimit } from './payment/call-bounds.ts'
import { spenderOf } from './payment/pay-call.ts'
import type { EstimatedCall, OpenPayment } from './payment/pay-call.ts'
import { priceCall } from './payment/price-call.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { messagesApi, nativeMessagesApi } from './request/caller-api.ts'
import type { CallerApi } from './request/caller-api.ts'
import { toNativeRequest } from './request/native-messages.ts'
import type { NativeMessages } from './request/native-messages.ts'
import { toProviderRequest, wantsUsage } from './request/model-request.ts'
import type { Body } from './request/model-request.ts'
import { callErrorOf } from './errors/gateway-error.ts'
import type { GatewayError } from './errors/gateway-error.ts'
import type { UsableRoute } from './route/usable-route.ts'
import { sendTo } from './send-to.ts'
import type { SentRequest } from './send-to.ts'
import type { LoadedTarget, RouteTarget } from './route/targets.ts'
import { forwardingOf } from './targets/forwarding.ts'
import { planTargets } from './targets/plan-targets.ts'
import type { RoutedCall } from './targets/routed-call.ts'
import { tryInOrder } from './targets/try-in-order.ts'
import { toCounted } from './response/counted.ts'
import type { Counted } from './response/counted.ts'

type FailedTarget = NonNullable<MeteredModelCall['failed']>[number]

/** A request and its route. */
export interface ModelCall extends RoutedCall {
  readonly operation: Operation
  readonly body: Body
  readonly payment: OpenPayment
  /** Filters that apply to the call. */
  readonly filters?: CallFilters | undefined
  /** The body is a request of Anthropic's Messages API, which is sent unchanged. */
  readonly native?: NativeMessages | undefined
}

/** Calls the route's providers and streams the response to the client. Throws before the first byte only. */
export async function callModel(services: ProvidersServices, call: GatewayCall, asked: ModelCall): Promise<void> {
  const targets = planTargets(services.circuits, asked.route, call.runId)
  const { payment } = asked
  const model = payment.outputLimit === undefined ? asked : limited(asked, payment.outputLimit)
  const answer = createClientResponse({
    ...call,
    api: apiOf(call, model),
    hidesUsage: hidesUsage(model),
    isWhole: call.payer !== undefined,
  })
  const filtered = filteredAnswer(services, model, answer)
  let answered: RouteTarget | undefined = targets[0]
  let status = 200
  let left: EstimatedCall | undefined
  let isRefused = false
  let loaded: LoadedTarget | undefined
  const failed: FailedTarget[] = []
  const made = createAttemptHeaders(call, asked.route)
  try {
    const attempts = targets.map((target) => ({
      provider: target,
      circuit: target.circuit,
      send: (sink: ResponseSink) => {
        made.next(target)
        return sendTo(services, call, {
          ...model,
          bodyFor: (id) => bodyFor(model, id),
          target,
          onLoaded: (one) => (loaded = one),
          sink: payment.watch(target, sink, (streamed) => meterOf(model, streamed)),
        })
      },
    }))
    const onFailure = (provider: NamedProvider, failure: GatewayError): void => {
      failed.push({ provider: `${provider.namespace}/${provider.name}`, reason: failure.reason })
      services.metering.failed({ route: model.route, provider, failure, traceparent: call.traceparent })
    }
    const forwarding = { ...forwardingOf(call, model.route), client: filtered ?? answer, onFailure }
    answered = targets[await tryInOrder(attempts, forwarding)]
    await payment.settle()
    if (call.payer !== undefined && answered !== undefined) {
      const usage = usageOf(payment.seen()?.usage, undefined, false)
      nameCost(call, await withCost(services, toServed(call, model.route, answered, loaded), usage))
    }
    await (filtered ?? answer).end()
  } catch (thrown) {
    const error = filtered?.failure() ?? thrown
    status = call.signal.aborted ? 499 : callErrorOf(error).status
    if (filtered?.failure() !== undefined || status === 499) {
      left = payment.estimate()
      answered = left?.target ?? answered
      await payment.fail('left')
    } else {
      // A provider that answered too late may have processed the call, although a later one refused it.
      isRefused = !answer.committed() && status !== 504 && !failed.some(({ reason }) => reason === 'timeout')
      await payment.fail(isRefused ? 'refused' : 'unknown')
    }
    if (!answer.committed()) throw error
    answer.breakOff(error)
  } finally {
    const seen = payment.seen()
    if (answered !== undefined)
      services.metering.answered({
        actor: { name: call.principal.username, kind: call.principal.kind === 'person' ? 'user' : 'system' },
        traceparent: call.traceparent,
        data: {
          ...toReferences(call, model, answered),
          ...(await withCost(
            services,
            toServed(call, model.route, answered, loaded),
            usageOf(seen?.usage, left, isRefused),
          )),
          streamed: seen?.streamed ?? false,
          ...decisionsOf(model),
          ...(failed.length === 0 ? {} : { failed }),
          attempts: made.count(),
          status,
          durationMs: Math.round(performance.now() - call.startedAt),
          firstByteMs: answer.firstByteMs() ?? Math.round(performance.now() - call.startedAt),
        },
      })
  }
}

function limited(model: ModelCall, outputLimit: number): ModelCall {
  return { ...model, body: withOutputLimit(model, outputLimit) }
}

// Filters see chat completions only.
function answersAsMessage({ native, filters }: ModelCall): boolean {
  return native !== undefined && filters?.seesAnswers !== true
}

function apiOf({ api }: GatewayCall, model: ModelCall): CallerApi {
  if (model.native === undefined) return api
  return answersAsMessage(model) ? nativeMessagesApi : messagesApi
}

// A translated response keeps its usage until it is translated.
function hidesUsage({ native, body }: ModelCall): boolean {
  return native === undefined && !wantsUsage(body)
}

function meterOf(model: ModelCall, streamed: boolean): ResponseMeter {
  const api = answersAsMessage(model) ? 'messages' : 'chat'
  return streamed ? createStreamMeter({ api, relays: 'bytes' }) : createDocumentMeter(api)
}

function filteredAnswer(
  { settings }: ProvidersServices,
  { operation, filters }: ModelCall,
  answer: ClientResponse,
): FilteredResponse | undefined {
  if (filters === undefined || operation !== 'chat/completions' || !filters.seesAnswers) return undefined
  return filterResponse(answer, { filters, limit: settings.filterLimit })
}

interface CallUsage {
  readonly usage: Counted & {
    /** The counts are an estimate from the received part. */
    readonly usageEstimated?: true
  }
  readonly isKnown: boolean
}

// An abandoned stream costs the usage of its received part, and a refused call costs nothing.
function usageOf(reported: MessageUsage | undefined, left: EstimatedCall | undefined, isRefused: boolean): CallUsage {
  const counted = toCounted(reported)
  if (counted.usageReported || left === undefined)
    return { usage: counted, isKnown: counted.usageReported || isRefused }
  return { usage: { ...left.usage, usageEstimated: true }, isKnown: true }
}

async function withCost({ core }: ProvidersServices, served: Omit<ServedCall, 'usage'>, { usage, isKnown }: CallUsage) {
  return { ...usage, cost: isKnown ? ((await priceCall(core, { ...served, usage })) ?? null) : null }
}

// A role adds up what it has spent for a purpose.
function nameCost({ response }: GatewayCall, { cost }: { readonly cost: CallCost | null }): void {
  if (cost !== null) response.setHeader(costHeader, `${cost.amount} ${cost.currency}`)
}

function toServed(
  call: GatewayCall,
  route: UsableRoute,
  target: RouteTarget,
  loaded: LoadedTarget | undefined,
): Omit<ServedCall, 'usage'> {
  const provider = `${target.namespace}/${target.name}`
  const { spec: { prices = [] } = {}, generation = 0 } = loaded ?? {}
  return {
    route,
    spender: spenderOf(call, route),
    provider,
    model: target.model,
    providerPrices: { generation, prices },
  }
}

function toReferences(call: GatewayCall, { operation, route }: ModelCall, target: RouteTarget) {
  return {
    operation,
    route: { namespace: route.namespace, name: route.name, uid: route.uid },
    provider: `${target.namespace}/${target.name}`,
    model: target.model,
    agentUid: call.agentUid ?? null,
    runId: call.runId ?? null,
    ...(call.payer === undefined ? {} : { payer: toPayer(call.payer) }),
  }
}

function decisionsOf({ filters }: ModelCall) {
  const decisions = filters?.decisions() ?? []
  return decisions.length === 0 ? {} : { decisions: [...decisions] }
}

function toPayer({ namespace, namespaceUid, agent }: CallPayer) {
  return { namespace, namespaceUid: namespaceUid ?? null, agent: agent?.metadata.name ?? null }
}

function bodyFor(model: ModelCall, id: string): SentRequest {
  const { body, native, route } = model
  if (native === undefined) return { body: toProviderRequest({ ...model, params: route.spec.params }, id) }
  const answer = answersAsMessage(model) ? 'message' : 'chat'
  return { body: toNativeRequest(body, route.spec, id), messages: { answer, betas: native.betas } }
}
