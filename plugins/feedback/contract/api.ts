import type { Access } from '#core/cluster/caller.ts'

/** A score of a run: of any name, if none is given, and within all given bounds. */
export interface ScoreMatch {
  readonly name?: string | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly equals?: number | boolean | string | undefined
}

/** Scores of the runs of an agent in a window, by bins. */
export interface ScoreWindow {
  readonly agent: string
  readonly from: Date
  readonly to: Date
  /** Width of the bins in seconds; the first one begins at `from`. */
  readonly width: number
}

/** Mean of the scores in a bin. */
export interface ScoreBin {
  readonly at: Date
  readonly score: number
  readonly count: number
}

/** Feedback for other plugins. */
export interface FeedbackApi {
  /** Those of the runs with a score that matches. Their ids must come from a read within the rights of a caller. */
  scored(runIds: readonly string[], match: ScoreMatch): Promise<ReadonlySet<string>>
  /**
   * Means of the scores with the default name that are decisions or numbers from 0 to 1, of runs of an agent in the namespace of the proof. Runs of
   * evaluations do not count.
   */
  meansOf(access: Access<'list', 'feedback'>, window: ScoreWindow): Promise<readonly ScoreBin[]>
}
