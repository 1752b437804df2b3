import type { SpendCap } from '#core/role-models/spend-cap.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { ServedCall } from './call-pricing.ts'

/** Payer of a call that a role of the platform makes. */
export interface CallPayer {
  readonly namespace: string
  /** Uid of the namespace as the role sent it; undefined if an agent pays. */
  readonly namespaceUid: string | undefined
  /** Undefined if the namespace pays. */
  readonly agent: AgentDeploymentObject | undefined
  /** What the calls for one purpose may cost together. */
  readonly cap?: SpendCap | undefined
}

/** A call before a provider is called, with the data for its maximum cost. */
export interface PayableCall {
  readonly runId: string | undefined
  /** Agents of the runs above the run, nearest first: each of them pays, too. */
  readonly above: readonly AgentDeploymentObject[]
  readonly route: {
    readonly namespace: string
    readonly name: string
    readonly generation: number
    readonly spec: ModelRouteSpec
  }
  /** Prices of the providers of the route, by `namespace/name`. */
  readonly providerPrices: () => Promise<ReadonlyMap<string, NonNullable<ServedCall['providerPrices']>>>
  /** Upper estimate of the input tokens. */
  readonly inputTokens: number
}

/** A call of a role. */
export interface RoleCall extends PayableCall {
  readonly payer: CallPayer
  /** Maximum output tokens of each choice, 0 for embeddings; undefined: the request sets no limit. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** A call of the pod of an agent, for which its launcher may hold the money. */
export interface LaunchedCall {
  readonly agent: AgentDeploymentObject
  /** `namespace/name` of the route. */
  readonly route: string
  /** Id of the hold in the request. */
  readonly launcherHold: string | undefined
}

/** A call of the pod of an agent, for which no launcher holds money. */
export interface InheritedCall extends PayableCall {
  readonly agent: AgentDeploymentObject
  /** Maximum output tokens of each choice; undefined: the request sets no limit. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** A call of a person. The tenant of the namespace of the route pays for it. */
export interface PersonCall extends Omit<PayableCall, 'above'> {
  /** Maximum output tokens of each choice; undefined: the request sets no limit. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** Usage of a call. */
export interface UsedCall extends Pick<ServedCall, 'provider' | 'model' | 'usage'> {
  /** The usage is an estimate from the received part of an abandoned stream. */
  readonly estimated: boolean
}

/** Money that is held for one call. It ends once. */
export interface CallHold {
  /** Output tokens of each choice that the hold covers; undefined: only calls are counted. */
  readonly maxOutputTokens: number | undefined
  /** Charges the cost of the call; without usage, the held amount. */
  settle(used: UsedCall | undefined): Promise<void>
  release(): Promise<void>
}

/** Payers whose limits apply to a call: a namespace, and agents with budgets. */
export interface CallPayers {
  readonly namespace: string
  readonly agents: readonly AgentDeploymentObject[]
}

/** Money of calls at the gateway: holds of launchers, and holds of the gateway. */
export interface CallPayment {
  /** Whether a spending limit applies to a call, including calls whose launcher holds the money. */
  isCounted(payers: CallPayers): Promise<boolean>
  /** Reserves the maximum cost of a call of a role; undefined if its payer has no limit. Throws the refusal of the call. */
  hold(call: RoleCall): Promise<CallHold | undefined>
  /** As `hold`, for a call of a person. */
  holdForPerson(call: PersonCall): Promise<CallHold | undefined>
  /** Takes over the hold of a launcher, for this call only; undefined without a hold. Throws if the agent may not call without a hold. */
  takeOver(call: LaunchedCall): Promise<CallHold | undefined>
  /**
   * Reserves the maximum cost of an agent's call within the budgets of the agents above; undefined if none has a budget. Throws the refusal of the
   * call.
   */
  inherit(call: InheritedCall): Promise<CallHold | undefined>
}
