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

/** The object whose limit it is. */
export interface LimitSubject {
  readonly kind: 'AgentDeployment' | 'Tenant'
  readonly namespace?: string
  readonly name: string
  /** What is counted belongs to the uid: a re-created object starts at zero. */
  readonly uid: string
}

/** A limit on model calls. Every limit that applies to a call is checked, in the order of their sources. */
export interface CallLimit {
  readonly subject: LimitSubject
  readonly spend?: SpendLimit
  readonly requestsPerMinute?: number
  readonly concurrency?: number
  /** Counts calls even where neither is limited, for what is displayed. */
  readonly countsCalls?: true
}

/** Limits of other plugins on the agents of a namespace. The state role asks for each call: the response must cost little. */
export interface LimitSource {
  readonly name: string
  limitsOf(namespace: string): Promise<readonly CallLimit[]>
}

/** Point for limits on model calls. */
export const limitSource = definePoint<LimitSource>('budgets.limits', ({ name }) => name)
