import type { Condition } from '#schemas/kinds/object.ts'

/** A condition of a plugin in the status of an agent. */
export type PartCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Types of the conditions that the platform sets. */
export const platformConditions: readonly string[] = [
  'Accepted',
  'ResolvedRefs',
  'EvalGated',
  'Gated',
  'CandidateReady',
  'Scaled',
  'Isolated',
  'Ready',
  'Degraded',
]
