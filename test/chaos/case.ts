import type { Scope } from '#test/harness/scope.ts'

/** How much is asked of a case: seconds for the everyday suite, a few minutes, or the whole count of its requirement. */
export type Form = 'short' | 'usual' | 'full'

/** How a case is run: the seed decides every random choice. */
export interface CaseOptions {
  readonly seed: number
  /** The number of faults. */
  readonly count: number
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
  /** The number of faults of each form. */
  readonly counts: Readonly<Record<Form, number>>
  /** How long the full count takes on two idle cores. */
  readonly minutes: number
  run(scope: Scope, options: CaseOptions): Promise<CaseResult>
}

/** Whether a case found nothing wrong. */
export function isClean({ lost, duplicated, unaccounted }: CaseResult): boolean {
  return lost === 0 && duplicated === 0 && unaccounted === 0
}
