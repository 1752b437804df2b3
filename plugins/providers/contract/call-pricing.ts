import type { CacheWrites } from '#core/model-apis/usage/message-usage.ts'
import type { ModelPrice } from '#schemas/kinds/prices.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'

/** A call that a provider has answered with its usage. */
export interface ServedCall {
  readonly route: {
    readonly namespace: string
    /** Generation of the route that the call used. */
    readonly generation: number
    readonly spec: ModelRouteSpec
  }
  /** Namespace that pays: of the agent, of the payer in a role's request, or of the route that a user calls. */
  readonly spender: string
  /** Prices of the provider object that answered. */
  readonly providerPrices: { readonly generation: number; readonly prices: readonly ModelPrice[] } | undefined
  /** `namespace/name` of the provider that answered. */
  readonly provider: string
  /** Model id at the provider. */
  readonly model: string
  readonly usage: CacheWrites & {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cachedTokens: number
    readonly reasoningTokens: number
  }
}

/** Cost of a call. */
export interface CallCost {
  /** Decimal string with at most six places. */
  readonly amount: string
  readonly currency: string
  /** The price that applied, with its version. */
  readonly price: string
}

/** Prices of model calls. Called once per answered call, after its response. */
export interface CallPricing {
  readonly name: string
  /** Returns undefined, never a cost of 0, if the price is unknown. */
  costOf(call: ServedCall): CallCost | undefined | Promise<CallCost | undefined>
}
