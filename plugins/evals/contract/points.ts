import { definePoint } from '#core/jobs/extension-point.ts'

/** Config of an evaluator, as the suite has it. */
export type EvaluatorConfig = Readonly<Record<string, unknown>>

/** What is wrong with a config: a pointer into it, and the problem. Never quotes the value. */
export interface ConfigProblem {
  readonly pointer: string
  readonly detail: string
}

/** A run whose output is scored. */
export interface ScoredOutput {
  readonly caseId: string
  readonly input: unknown
  /** Undefined if the case has none. */
  readonly expected?: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly output: unknown
  /** Names of the called tools, in the order of their calls. */
  readonly tools: readonly string[]
}

/** A score from 0 to 1. */
export interface EvaluatorScore {
  readonly score: number
  /** Shown with the score; at most 1,000 characters are stored. */
  readonly note?: string
}

/** What evaluators may use. */
export interface EvaluatorContext {
  /** Aborts when the evaluation ends. */
  readonly signal: AbortSignal
  /** Asks the model of the suite's judge. Undefined for a suite without one. */
  readonly judge?: AskJudge | undefined
  /** Calls an address that the suite names, through the guard. */
  readonly post: PostJson
}

/** Sends one user message to the judge, at temperature 0 and without tools. Throws if there is no response. */
export type AskJudge = (request: {
  readonly instructions: string
  readonly message: string
  readonly schema: Readonly<Record<string, unknown>>
}) => Promise<string>

/** Sends JSON and returns the JSON of a 200 response of at most 64 KiB. Redirects are not followed. Throws otherwise. */
export type PostJson = (request: {
  readonly url: string
  readonly body: object
  readonly timeoutMs: number
}) => Promise<unknown>

/** Scores outputs. It must be pure, but for the judge and the address of its config. */
export interface Evaluator {
  /** Type in suites: one of the platform, or `domain/name`. */
  readonly type: string
  /** Whether it compares with the expected output of a case. Such an evaluator scores no runs in production. */
  readonly needsExpected?: (config: EvaluatorConfig) => boolean
  /** Returns what is wrong with a config. Called when a suite is written and before it is used. */
  check(config: EvaluatorConfig): readonly ConfigProblem[]
  /** Scores an output under a config without problems. An error means that the output has no score. */
  evaluate(
    scored: ScoredOutput,
    config: EvaluatorConfig,
    context: EvaluatorContext,
  ): EvaluatorScore | Promise<EvaluatorScore>
}

/** Evaluators of suites; one for each type. */
export const suiteEvaluator = definePoint<Evaluator>('evals.evaluator', ({ type }) => type)
