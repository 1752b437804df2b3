/** Reason and message of a condition that is not met. */
export interface ConditionProblem {
  readonly reason: string
  readonly message: string
  /** The references that do not resolve, if that is the reason. */
  readonly references?: readonly MissingReference[]
}

/** A reference that does not resolve: why, and the object that it names. */
export interface MissingReference {
  readonly reason: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}
