import type { Usage } from '#schemas/runs/run.ts'
import type { Cost } from './model-call.ts'
import type { ModelRequest } from './model-request.ts'

/** End of a call. Without usage, the whole hold is charged (B3). */
export interface Settlement {
  readonly usage: Usage | null
  /** `namespace/name` of the provider that answered, which has its own prices; null: unknown. */
  readonly provider: string | null
  /** Model id at the provider, which may have other prices there than another one; absent: unknown. */
  readonly model?: string
  /** The usage was counted from the bytes received, not reported by the provider. */
  readonly estimated: boolean
  readonly outcome: 'succeeded' | 'failed' | 'aborted'
}

/** What a call cost. */
export interface SettledCost {
  /** Undefined: the model has no price. */
  readonly cost: Cost | undefined
  readonly remaining: string | undefined
}

/** Money that is held for one call, committed before it is forwarded (B1). */
export interface Hold {
  readonly id: string
  /** Tokens of the response that it pays for; null: as many as the request allows. */
  readonly maxOutputTokens: number | null
  /** Remaining amount of the budget. */
  readonly remaining: string | undefined
}

/** The hold of one call: settled or released once, whichever comes first. */
export interface Charge {
  /** Undefined: the call costs nothing here. */
  readonly hold: Hold | undefined
  settle(settlement: Settlement): Promise<SettledCost | undefined>
  /** The call was not forwarded. */
  release(): Promise<void>
}

/** Pays for the model calls of the agent. */
export interface Payment {
  /**
   * Holds money for a call; a call that no limit applies to has a charge without a hold. `onLost` is called if the hold can no longer be renewed: its
   * call must end. Throws `Refusal`.
   */
  open(request: ModelRequest, runId: string | undefined, onLost: () => void): Promise<Charge>
  /** Waits, at most two seconds, for settlements that are sent again. */
  close(): Promise<void>
}

/** The charge of a call that costs nothing. */
export const freeCharge: Charge = {
  hold: undefined,
  settle: async () => undefined,
  release: async () => undefined,
}
