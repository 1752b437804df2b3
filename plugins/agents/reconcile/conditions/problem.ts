/** Reason and message of a condition that is not met. */
export interface ConditionProblem {
  readonly reason: string
  readonly message: string
}
