import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { ServedCall } from './call-pricing.ts'

/** Who pays for a call that a role of the platform makes. */
export interface CallPayer {
  readonly namespace: string
  /** As the role named it; undefined if an agent pays. */
  readonly namespaceUid: string | undefined
  /** Undefined if the namespace pays. */
  readonly agent: AgentDeploymentObject | undefined
}

/** A call before a provider is called, and what it may cost at most. */
export interface PayableCall {
  readonly runId: string | undefined
  /** Agents of the runs above the run, nearest first: each pays, too. */
  readonly above: readonly AgentDeploymentObject[]
  readonly route: {
    readonly namespace: string
    readonly name: string
    readonly generation: number
    readonly spec: ModelRouteSpec
  }
  /** Prices of the providers of the route, by `namespace/name`. */
  readonly providerPrices: () => Promise<ReadonlyMap<string, NonNullable<ServedCall['providerPrices']>>>
  /** Upper estimate. */
  readonly inputTokens: number
}

/** A call of a role. It has no output tokens. */
export interface RoleCall extends PayableCall {
  readonly payer: CallPayer
}

/** A call of the pod of an agent, for which its launcher may hold the money. */
export interface LaunchedCall {
  readonly agent: AgentDeploymentObject
  /** `namespace/name` of the route. */
  readonly route: string
  /** The hold, as the request names it. */
  readonly launcherHold: string | undefined
}

/** A call of the pod of an agent, for which no launcher holds money. */
export interface InheritedCall extends PayableCall {
  readonly agent: AgentDeploymentObject
  /** Most output tokens of each choice; undefined: the request sets no limit. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** A call of a person. The tenant of the namespace of the route pays for it. */
export interface PersonCall extends Omit<PayableCall, 'above'> {
  /** Most output tokens of each choice; undefined: the request sets no limit. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** What a call has used. */
export interface UsedCall extends Pick<ServedCall, 'provider' | 'model' | 'usage'> {
  /** The usage is counted from what was seen of a stream that was left. */
  readonly estimated: boolean
}

/** Money that is held for one call. It is ended once. */
export interface CallHold {
  /** Output tokens of each choice that it covers; undefined: only calls are counted. */
  readonly maxOutputTokens: number | undefined
  /** Charges the call at its cost; without one at what is held. */
  settle(used: UsedCall | undefined): Promise<void>
  release(): Promise<void>
}

/** Whose limits apply to a call: those of a namespace, and the budgets of agents. */
export interface CallPayers {
  readonly namespace: string
  readonly agents: readonly AgentDeploymentObject[]
}

/** Money of calls at the gateway: the holds of launchers, and those that the gateway makes. */
export interface CallPayment {
  /** Whether a limit of money applies to a call, also one that its launcher holds. */
  isCounted(payers: CallPayers): Promise<boolean>
  /** Reserves the most that a call of a role can cost; undefined if nothing limits its payer. Throws why the call may not be made. */
  hold(call: RoleCall): Promise<CallHold | undefined>
  /** As `hold`, for a call of a person. */
  holdForPerson(call: PersonCall): Promise<CallHold | undefined>
  /** Takes over the hold of a launcher, for this call alone; undefined without one. Throws for an agent that may not call without. */
  takeOver(call: LaunchedCall): Promise<CallHold | undefined>
  /**
   * Reserves the most that a call of an agent can cost within the budgets of the agents above; undefined if none has a budget. Throws why
   * the call may not be made.
   */
  inherit(call: InheritedCall): Promise<CallHold | undefined>
}
