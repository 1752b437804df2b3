import type { ColumnType } from 'kysely'

/** A sum: an integer as a string, since it may exceed 2^53. */
type Sum = string

/** Calls and tokens of a row. Cached tokens are part of the input, reasoning tokens of the output. */
export interface SumColumns {
  calls: Sum
  /** Calls whose cost is unknown. */
  unpriced: Sum
  input_tokens: Sum
  output_tokens: Sum
  cached_tokens: Sum
  reasoning_tokens: Sum
}

/** Metered calls of one day (UTC) with equal keys; only the projection adds to it. A key without a value is an empty string. */
export interface CostDayRow extends SumColumns {
  day: string
  /** Namespace of the agent, or of the route that a user called before users had their own table. */
  namespace: string
  namespace_uid: string
  agent_uid: string
  agent: string
  /** `namespace/name`. */
  provider: string
  model: string
  operation: string
  currency: string
  /** The price that applied, with its version. */
  price: string
  /** Cost in micro-units of the currency. */
  micros: Sum
}

/** Metered calls of users, like those of agents: the caller takes the place of the agent. Only the projection adds to it. */
export interface CostPersonRow extends Omit<CostDayRow, 'agent_uid' | 'agent'> {
  /** Name of the caller. */
  subject: string
}

/** Usage that an agent reported for a run, unless its calls were metered; only the projection writes it. */
export interface CostRunRow extends SumColumns {
  /** Calls that the gateway answered: metered calls, and calls that the launcher reported. */
  answered: Sum
  reported: Sum
  reported_at: Date | null
  run_id: string
  /** Day (UTC) of the first event. */
  day: string
  namespace: string
  namespace_uid: string
  agent_uid: string
  /** A call of the run went through the gateway: the sums are 0 and stay 0. */
  metered: boolean
}

/** An agent as last observed; only the projection writes it. It is kept after the agent is deleted, for past cost. */
export interface CostAgentRow {
  uid: string
  namespace: string
  namespace_uid: string
  name: string
  labels: ColumnType<Readonly<Record<string, string>>, string, string>
}

/** Tables of the plugin. */
export type CostTables = {
  cost_days: CostDayRow
  cost_persons: CostPersonRow
  cost_runs: CostRunRow
  cost_agents: CostAgentRow
}
