/** Reason and message of a condition that is not met. */
export interface Problem {
  readonly reason: string
  readonly message: string
}
