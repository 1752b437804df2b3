import type { Scope } from '#test/harness/scope.ts'

/** Extent of a run: seconds for the everyday suite, a few minutes, or the full count of the requirement. */
export type Form = 'short' | 'usual' | 'full'

/** Options of a case; the seed determines every random choice. */
export interface CaseOptions {
  readonly seed: number
  /** Number of faults. */
  readonly count: number
  readonly short: boolean
  /** Scope of resources shared by the cases of one run. */
  readonly whole: Scope
}

/** Result of a case. The suite fails for anything lost, duplicated or unaccounted for, and for a failed assertion of the case. */
export interface CaseResult {
  readonly faults: number
  readonly lost: number
  readonly duplicated: number
  readonly unaccounted: number
  /** Milliseconds from the end of each fault until the platform worked again. */
  readonly recoveryMs: readonly number[]
  /** Figures and limits of this run, one sentence each. */
  readonly notes: readonly string[]
}

/** One case of the fault suite, with the requirements that it proves. */
export interface ChaosCase {
  readonly ids: readonly string[]
  readonly title: string
  /** Number of faults per form. */
  readonly counts: Readonly<Record<Form, number>>
  /** Duration of the full count on two idle cores. */
  readonly minutes: number
  run(scope: Scope, options: CaseOptions): Promise<CaseResult>
}

/** Whether a case found no error. */
export function isClean({ lost, duplicated, unaccounted }: CaseResult): boolean {
  return lost === 0 && duplicated === 0 && unaccounted === 0
}
