import { Fail } from '#core/errors/domain-error.ts'
import { estimateInputTokens } from '#core/model-apis/estimate-input.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { ResponseSink } from '../../contract/adapter.ts'
import type { CallHold, CallPayment, UsedCall } from '../../contract/call-payment.ts'
import { agentRuns, callPayment } from '../../contract/points.ts'
import type { GatewayCall } from '../request/gateway-call.ts'
import { readCallBounds } from './call-bounds.ts'
import type { BoundedCall, CallBounds } from './call-bounds.ts'
import { refuseUncountedFields } from '../request/check-fields.ts'
import { createPaidResponse } from './paid-response.ts'
import type { MeterOf, PaidResponse, SeenResponse } from './paid-response.ts'
import { readAgent } from '../request/principal.ts'
import { readProviderPrices } from './provider-prices.ts'
import type { RouteTarget } from '../route/targets.ts'
import type { UsableRoute } from '../route/usable-route.ts'
import type { Counted } from '../response/counted.ts'

/**
 * How a call failed. `refused`: no provider processed it. `unknown`: a provider may have processed it. `left`: its caller or a filter ended it, so
 * the received part is charged.
 */
export type FailedCall = 'refused' | 'unknown' | 'left'

/** The payment of one call. It ends once and never throws when it ends: an open hold is charged when its lease expires. */
export interface OpenPayment {
  /** Output tokens of each choice that the hold covers, or that the route allows; undefined: any number. */
  readonly outputLimit: number | undefined
  /** The sink for an attempt at a target. */
  watch(target: RouteTarget, sink: ResponseSink, meterOf: MeterOf): ResponseSink
  /** The received part of the response; undefined: no provider has begun a successful response. */
  seen(): SeenResponse | undefined
  /** Estimated usage of an abandoned stream; undefined: nothing was streamed. */
  estimate(): EstimatedCall | undefined
  /** Charges an answered call by its usage; without reported usage, the held amount. */
  settle(): Promise<void>
  /** Ends the payment of a call that failed: by its usage, by the received part of an abandoned stream, else the held amount or nothing. */
  fail(how: FailedCall): Promise<void>
}

/** A call that ended before its provider reported usage. */
export interface EstimatedCall {
  readonly target: RouteTarget
  readonly usage: Counted
}

type PaymentParts = Pick<Core, 'extensions' | 'log'>

interface PaidModel extends BoundedCall {
  readonly route: UsableRoute
}

/** Makes a call whose money is held before any other decision. A later refusal releases the money. */
export async function withPayment(
  core: PaymentParts,
  { call, model }: { readonly call: GatewayCall; readonly model: PaidModel },
  make: (payment: OpenPayment) => Promise<void>,
): Promise<void> {
  const payment = await payCall(core, call, model)
  try {
    await make(payment)
  } finally {
    await payment.fail('refused')
  }
}

/**
 * Holds the money of a call: of a role for a payer, of an agent in a run with other payers, or of a user in a tenant. Throws the refusal of the
 * payment.
 */
async function payCall(core: PaymentParts, call: GatewayCall, model: PaidModel): Promise<OpenPayment> {
  const held = await holdFor(core, call, model)
  return held === undefined ? nothingHeld(model) : endOnce(core, held, createPaidResponse())
}

interface HeldCall {
  readonly hold: CallHold
  readonly bounds: CallBounds
}

async function holdFor(core: PaymentParts, call: GatewayCall, model: PaidModel): Promise<HeldCall | undefined> {
  const [payment] = core.extensions(callPayment)
  const { payer, principal, runId } = call
  const { route } = model
  if (payment === undefined) {
    // Without a ledger the cap could not hold.
    if (payer?.cap !== undefined)
      throw new Fail('plugin_disabled', 'A cap on the cost of calls needs the plugin budgets.')
    return undefined
  }
  const above = await agentsAbove(core, call)
  await refuseUncounted(payment, call, { model, above })
  const providerPrices = () => readProviderPrices(call.gateway, route)
  if (payer === undefined && principal.kind === 'person') {
    const bounds = readCallBounds(model)
    const hold = await payment.holdForPerson({ runId, route, providerPrices, ...bounds })
    return hold && { hold, bounds }
  }
  if (payer !== undefined) {
    const bounds = readCallBounds(model)
    const hold = await payment.hold({ payer, runId, above, route, providerPrices, ...bounds })
    return hold && { hold, bounds }
  }
  if (principal.kind === 'person') return undefined
  return holdForPod(payment, { ...call, principal }, { model, above })
}

// Bounds are read first: a request with invalid bounds must not take over a hold.
async function holdForPod(
  payment: CallPayment,
  { principal: { agent }, gateway, runId, header }: GatewayCall & { readonly principal: { readonly kind: 'pod' } },
  { model, above }: CountedCall,
): Promise<HeldCall | undefined> {
  const { route } = model
  const launcherHold = header('x-mesh-hold')
  const isPaid = launcherHold !== undefined || above.length > 0
  const bounds = isPaid ? readCallBounds(model) : undefined
  const taken = await payment.takeOver({ agent, route: `${route.namespace}/${route.name}`, launcherHold })
  if (bounds === undefined) return undefined
  if (taken !== undefined) return { hold: taken, bounds }
  const providerPrices = () => readProviderPrices(gateway, route)
  const hold = await payment.inherit({ agent, runId, above, route, providerPrices, ...bounds })
  return hold && { hold, bounds }
}

/** Refuses fields whose cost is not counted, if a spending limit applies to the call. */
export async function checkCountedFields(core: PaymentParts, call: GatewayCall, model: PaidModel): Promise<void> {
  const [payment] = core.extensions(callPayment)
  if (payment !== undefined) await refuseUncounted(payment, call, { model, above: await agentsAbove(core, call) })
}

interface CountedCall {
  readonly model: PaidModel
  readonly above: readonly AgentDeploymentObject[]
}

// Checked even if the launcher holds the money: the launcher forwards fields that it does not know.
async function refuseUncounted(payment: CallPayment, call: GatewayCall, { model, above }: CountedCall): Promise<void> {
  const { principal, payer } = call
  const caller = principal.kind === 'pod' ? principal.agent : payer?.agent
  const agents = caller === undefined ? above : [caller, ...above]
  if (await payment.isCounted({ namespace: spenderOf(call, model.route), agents })) refuseUncountedFields(model)
}

function nothingHeld({ body, route }: PaidModel): OpenPayment {
  const answer = createPaidResponse()
  return {
    outputLimit: route.spec.maxOutputTokens,
    watch: answer.from,
    seen: answer.seen,
    estimate: () => estimateOf(answer.seen(), estimateInputTokens(Buffer.from(JSON.stringify(body)), body)),
    settle: async () => undefined,
    fail: async () => undefined,
  }
}

function endOnce({ log }: PaymentParts, { hold, bounds }: HeldCall, answer: PaidResponse): OpenPayment {
  let open = true
  const end = async (work: () => Promise<void>): Promise<void> => {
    if (!open) return
    open = false
    try {
      await work()
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'hold not ended; its lease charges it')
    }
  }
  return {
    outputLimit: leastOf(bounds.maxOutputTokens, hold.maxOutputTokens),
    watch: answer.from,
    seen: answer.seen,
    estimate: () => estimateOf(answer.seen(), bounds.inputTokens, mostOf({ hold, bounds })),
    settle: () => end(() => hold.settle(reported(answer.seen()))),
    fail: (how) =>
      end(() => {
        const seen = answer.seen()
        if (seen === undefined) return how === 'refused' ? hold.release() : hold.settle(undefined)
        const estimate = () => estimated(estimateOf(seen, bounds.inputTokens, mostOf({ hold, bounds })))
        return hold.settle(reported(seen) ?? (how === 'left' ? estimate() : undefined))
      }),
  }
}

// A launcher's hold may cover less than the limit in its request.
function leastOf(asked: number | undefined, held: number | undefined): number | undefined {
  return asked === undefined || held === undefined ? (asked ?? held) : Math.min(asked, held)
}

function mostOf({ hold, bounds }: HeldCall): number {
  return (hold.maxOutputTokens ?? Infinity) * bounds.choices
}

function reported(seen: SeenResponse | undefined): UsedCall | undefined {
  if (seen?.usage === undefined) return undefined
  return { ...toServed(seen.target), usage: seen.usage, estimated: false }
}

function estimated(seen: EstimatedCall | undefined): UsedCall | undefined {
  return seen && { ...toServed(seen.target), usage: seen.usage, estimated: true }
}

// The provider has generated no more than the request allows.
function estimateOf(seen: SeenResponse | undefined, inputTokens: number, most = Infinity): EstimatedCall | undefined {
  if (seen?.outputTokens === undefined) return undefined
  const { target, outputTokens } = seen
  const usage = { inputTokens, outputTokens: Math.min(outputTokens, most), cachedTokens: 0, reasoningTokens: 0 }
  return { target, usage: { usageReported: false, ...usage } }
}

/** Namespace that pays for a call. */
export function spenderOf({ payer, principal }: GatewayCall, route: Pick<UsableRoute, 'namespace'>): string {
  if (payer !== undefined) return payer.namespace
  return principal.kind === 'pod' ? principal.namespace : route.namespace
}

function toServed({ namespace, name, model }: RouteTarget): Pick<UsedCall, 'provider' | 'model'> {
  return { provider: `${namespace}/${name}`, model }
}

async function agentsAbove(
  { extensions }: PaymentParts,
  { gateway, agentUid, runId, rootRunId }: GatewayCall,
): Promise<readonly AgentDeploymentObject[]> {
  if (agentUid === undefined || (runId !== undefined && rootRunId === runId)) return []
  const above = (await extensions(agentRuns)[0]?.agentsAbove(agentUid, runId)) ?? []
  const read = await Promise.all(
    above.map(async (one) => {
      const agent = await readAgent(gateway, one)
      return agent?.metadata.uid === one.uid ? [agent] : []
    }),
  )
  return read.flat()
}
