import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Operation } from '../contract/adapter.ts'
import { refusePaidFields } from './request/check-fields.ts'
import { callAgent } from './call-agent.ts'
import { callModel } from './call-model.ts'
import { toChatRequest } from './request/caller-api.ts'
import type { CallerApi } from './request/caller-api.ts'
import { countTokens, noTokenCount } from './count-tokens.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { openCall, runsOf } from './open-call.ts'
import type { GatewayExchange } from './open-call.ts'
import { viaOf } from './targets/loop-guard.ts'
import { readModelRequest } from './request/model-request.ts'
import type { Body } from './request/model-request.ts'
import type { NativeMessages } from './request/native-messages.ts'
import { readPassedHeaders } from './targets/passed-headers.ts'
import { passesMessages } from './route/passes-messages.ts'
import { checkCountedFields, withPayment } from './payment/pay-call.ts'
import { refusedPayer } from './payment/payer.ts'
import { usableRoute } from './route/usable-route.ts'
import type { UsableRoute } from './route/usable-route.ts'
import { parseModel } from './request/model-name.ts'
import type { ModelName } from './request/model-name.ts'
import { withFilters } from '../filters/create-filters.ts'
import type { Filters } from '../filters/create-filters.ts'
import type { ProvidersServices } from '../services/create-services.ts'

/** An operation of the gateway, by its path. */
export interface ServedOperation {
  readonly path: string
  readonly summary: string
  readonly operation: Operation
  readonly api: CallerApi
  /** Reads a body for providers with the API of the caller. */
  readonly readNative?: (body: Body, betas: string | undefined) => NativeMessages
  /** The operation is free: no spending or rate limit applies, and no live hold is required. Only providers with that API serve it. */
  readonly isFree?: true
}

/** A request of an operation. */
export interface OperationRequest {
  readonly served: ServedOperation
  readonly call: GatewayExchange
  readonly filters: Filters | undefined
}

// The calls that roles of the platform make for a payer.
const paidPaths: ReadonlySet<string> = new Set(['chat/completions', 'embeddings'])

/** Responds to a request by its route, or by the agent in `model`. */
export async function respondToCall(
  services: ProvidersServices,
  gateway: GatewayContext,
  { served: one, call: exchange, filters }: OperationRequest,
): Promise<void> {
  const { operation, api } = one
  const call = await openCall(services, { gateway, api }, exchange)
  if (call.payer !== undefined && !paidPaths.has(one.path))
    throw refusedPayer('is only for chat completions and embeddings')
  const found = await findModel(services, call, { served: one, given: exchange.body })
  if ('route' in found) return callRoute(services, call, { ...found, served: one, filters })
  const { model: agent, body } = found
  if (call.payer !== undefined) throw refusedPayer('is not for models that are agents')
  if (operation === 'embeddings') {
    const errors = [{ pointer: '/model', detail: 'must be a route: agents have no embeddings' }]
    throw new Fail('invalid_body', undefined, { errors })
  }
  const { agentTimeout, filterLimit } = services.settings
  const chat = { runs: runsOf(services), agent, timeoutMs: agentTimeout * 1000, now: services.core.now }
  await callAgent(call, { ...chat, body, filters, filterLimit })
}

type FoundModel = { readonly body: Body } & (
  | { readonly model: Extract<ModelName, { kind: 'agent' }> }
  | {
      readonly model: Extract<ModelName, { kind: 'route' }>
      readonly route: UsableRoute
      readonly native?: NativeMessages
    }
)

/** The target of a request, with the body in the caller's API if all providers of its route have that API, else translated. */
async function findModel(
  services: ProvidersServices,
  call: GatewayCall,
  {
    served: { operation, api, readNative, isFree },
    given,
  }: { readonly served: ServedOperation; readonly given: unknown },
): Promise<FoundModel> {
  const named = isObject(given) && typeof given.model === 'string' && given.model !== '' ? given.model : undefined
  let route: UsableRoute | undefined
  if (readNative !== undefined && named !== undefined) {
    const model = parseModel(named, call.namespace)
    if (model.kind === 'route') {
      route = await usableRoute(call.gateway, call.principal, model)
      if (await passesMessages(services, call, route)) {
        const body = readModelRequest(operation, given)
        return { model, route, body, native: readNative(body, call.header('anthropic-beta')) }
      }
    }
  }
  const body = readModelRequest(operation, isFree === true ? given : toChatRequest(api, given))
  if (isFree === true) throw noTokenCount()
  const model = parseModel(body.model, call.namespace)
  if (model.kind === 'agent') return { model, body }
  return { model, body, route: route ?? (await usableRoute(call.gateway, call.principal, model)) }
}

async function callRoute(
  services: ProvidersServices,
  call: GatewayCall,
  {
    served: { operation, isFree },
    filters,
    model,
    route,
    body,
    native,
  }: Extract<FoundModel, { readonly route: UsableRoute }> & Pick<OperationRequest, 'served' | 'filters'>,
): Promise<void> {
  const headers = { ...readPassedHeaders(call, route), via: viaOf(call, route) }
  const asked = { operation, route, headers, body, ...(native === undefined ? {} : { native }) }
  const target = { operation, model, uid: route.uid, streamed: isFree !== true && body.stream === true }
  const rules = { call, target, body, isMessages: native !== undefined, onRules: () => refusePaidFields(asked) }
  // Filters see the request that a provider would receive.
  if (isFree === true && native !== undefined) {
    await checkCountedFields(services.core, call, asked)
    return withFilters(filters, rules, (filtered) =>
      countTokens(services, call, { route, headers, body: filtered, native }),
    )
  }
  await withPayment(services.core, { call, model: asked }, (payment) =>
    withFilters(filters, rules, (filtered, applying) =>
      callModel(services, call, { ...asked, body: filtered, payment, filters: applying }),
    ),
  )
}
