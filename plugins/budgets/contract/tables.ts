/** State of a hold: an `expired` hold was charged in full because its lease ended. */
export type HoldState = 'open' | 'settled' | 'released' | 'expired'

/** Money of one owner in one window, in micro-units. */
export interface AccountRow {
  id: bigint
  /** `agent/<uid>` or `tenant/<uid>`. */
  owner: string
  currency: string
  spend_window: string
  window_start: Date
  spent: bigint
  held: bigint
  /** Part of `spent` by which settled calls exceeded their holds. */
  overrun: bigint
  /** First refusal in the window. */
  exceeded_at: Date | null
}

/** Calls of one owner: in flight, and by minute. */
export interface RateRow {
  owner: string
  in_flight: number
  minute: Date
  calls: number
  calls_before: number
}

/** A hold: money reserved for one model call. */
export interface HoldRow {
  id: string
  /** Uid of the service account that created it. */
  holder: string
  request_key: string
  agent_uid: string
  run_id: string | null
  route: string
  amount: bigint
  currency: string | null
  max_output: bigint
  /** Prices of the route when the hold was created: a later change does not affect the charge. */
  prices: unknown
  accounts: bigint[]
  limits: bigint[]
  rates: string[]
  state: HoldState
  charged: bigint | null
  outcome: string | null
  estimated: boolean | null
  created_at: Date
  expires_at: Date
  ended_at: Date | null
  /** Time at which a gateway took the hold over. */
  claimed_at: Date | null
}

/** Tables of the plugin. */
export type BudgetsTables = {
  budgets_accounts: AccountRow
  budgets_rates: RateRow
  budgets_holds: HoldRow
}
