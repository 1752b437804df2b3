import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { ServedCall } from '../call-pricing.ts'

/** Who pays for a call that a role of the platform makes. */
export interface CallPayer {
  readonly namespace: string
  /** As the role named it; undefined if an agent pays. */
  readonly namespaceUid: string | undefined
  /** Undefined if the namespace pays. */
  readonly agent: AgentDeploymentObject | undefined
}

/** A call of a role, before a provider is called. */
export interface PayableCall {
  readonly payer: CallPayer
  /** The run of the paying agent. */
  readonly runId: string | undefined
  /** The agent of the root run, if it is another one: it pays, too. */
  readonly rootAgent: AgentDeploymentObject | undefined
  readonly route: {
    readonly namespace: string
    readonly name: string
    readonly generation: number
    readonly spec: ModelRouteSpec
  }
  /** Upper estimate. Calls of roles have no output tokens. */
  readonly inputTokens: number
}

/** Money that is held for one call. It is ended once. */
export interface CallHold {
  /** Charges the call at its cost; without one at what is held. */
  settle(served: Pick<ServedCall, 'provider' | 'model' | 'usage'> | undefined): Promise<void>
  release(): Promise<void>
}

/** Money of calls that roles of the platform make for agents and namespaces. */
export interface CallPayment {
  /** Reserves the most that a call can cost; undefined if nothing limits its payer. Throws why the call may not be made. */
  hold(call: PayableCall): Promise<CallHold | undefined>
}
