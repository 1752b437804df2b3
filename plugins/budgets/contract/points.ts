import { definePoint } from '#core/jobs/extension-point.ts'

/** Window over which money is counted, in UTC. */
export type SpendWindow = 'hour' | 'day' | 'week' | 'month' | 'total'

/** Money that an owner may spend in a window. */
export interface SpendLimit {
  /** In micro-units of the currency. */
  readonly amount: bigint
  readonly currency: string
  readonly window: SpendWindow
}

/** The object that has the limit. */
export interface LimitSubject {
  /** `Cap`: calls of a role for one purpose, which share no object. */
  readonly kind: 'AgentDeployment' | 'Tenant' | 'Cap'
  readonly namespace?: string
  readonly name: string
  /** Counters belong to the uid: a re-created object starts at zero. */
  readonly uid: string
}

/** A limit on model calls. Every limit that applies to a call is checked, in the order of their sources. */
export interface CallLimit {
  readonly subject: LimitSubject
  readonly spend?: SpendLimit
  readonly requestsPerMinute?: number
  readonly concurrency?: number
  /** Counts calls even if neither is limited, for display. */
  readonly countsCalls?: true
}

/** Limits of other plugins on the agents of a namespace. The state role calls it for each model call, so it must be cheap. */
export interface LimitSource {
  readonly name: string
  limitsOf(namespace: string): Promise<readonly CallLimit[]>
}

/** Point for limits on model calls. */
export const limitSource = definePoint<LimitSource>('budgets.limits', ({ name }) => name)
