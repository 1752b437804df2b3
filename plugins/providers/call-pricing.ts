import type { CacheWrites } from '#core/model-apis/message-usage.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'

/** A call that a provider has answered with its usage. */
export interface ServedCall {
  readonly route: {
    readonly namespace: string
    /** Generation of the route that the call used. */
    readonly generation: number
    readonly spec: ModelRouteSpec
  }
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

/** What a call costs. */
export interface CallCost {
  /** Decimal text with at most six places. */
  readonly amount: string
  readonly currency: string
  /** The price that applied, with its version. */
  readonly price: string
}

/** Prices of model calls. Asked once per answered call, so it does no I/O. */
export interface CallPricing {
  readonly name: string
  /** Returns undefined if the price is unknown; it is never 0 then. */
  costOf(call: ServedCall): CallCost | undefined
}
