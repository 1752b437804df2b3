/** Progress of an executor. */
export interface RunProgress {
  /** Finished units, such as pages or cases; at least 0. */
  readonly done: number
  /** All units, if known. */
  readonly total?: number
  /** The current step; at most 1,024 characters. */
  readonly message?: string
}
