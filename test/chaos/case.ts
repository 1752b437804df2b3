import type { Scope } from '#test/harness/scope.ts'

/** How a case is run: the seed decides every random choice, `count` the number of faults (else the case's own for its form). */
export interface CaseOptions {
  readonly seed: number
  readonly count?: number | undefined
  /** Seconds instead of minutes, for the everyday suite. */
  readonly short: boolean
  /** What may be shared by the cases of one run ends with this scope. */
  readonly whole: Scope
}

/** What a case found. Anything lost, duplicated or unaccounted for fails the suite; so does an assertion of the case itself. */
export interface CaseResult {
  readonly faults: number
  readonly lost: number
  readonly duplicated: number
  readonly unaccounted: number
  /** Milliseconds from the end of each fault until the platform did its work again. */
  readonly recoveryMs: readonly number[]
  /** Figures and limits of this run, one sentence each. */
  readonly notes: readonly string[]
}

/** One case of the fault suite: which requirements it proves, and how. */
export interface ChaosCase {
  readonly ids: readonly string[]
  readonly title: string
  run(scope: Scope, options: CaseOptions): Promise<CaseResult>
}

/** Whether a case found nothing wrong. */
export function isClean({ lost, duplicated, unaccounted }: CaseResult): boolean {
  return lost === 0 && duplicated === 0 && unaccounted === 0
}
