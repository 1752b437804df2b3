/** On whose behalf a run is executed, from its verified grant. */
export interface RunAuthority {
  readonly subject: string
  readonly scopes: readonly string[]
}

/** Origin of a run, which its agent passes on when it calls another agent. */
export interface RunOrigin extends RunAuthority {
  readonly rootRunId: string
  /** Agents (`namespace/name`) of the runs above, from the root run down. */
  readonly path: readonly string[]
  /** The end of the run: its own time limit, or the deadline of the run that called it. */
  readonly deadline: Date
}
