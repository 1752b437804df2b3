/** A score of a run: of any name, if none is given, and within all given bounds. */
export interface ScoreMatch {
  readonly name?: string | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly equals?: number | boolean | string | undefined
}

/** Feedback for other plugins. */
export interface FeedbackApi {
  /** Those of the runs with a score that matches. Their ids must come from a read within the rights of a caller. */
  scored(runIds: readonly string[], match: ScoreMatch): Promise<ReadonlySet<string>>
}
