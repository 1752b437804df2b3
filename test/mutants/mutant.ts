/** A small plausible defect, and the tests that must detect it. */
export interface Mutant {
  /** What the defect does, as a sentence without a full stop. */
  readonly name: string
  /** Path from the root of the repository. */
  readonly file: string
  /** Text that stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files, of which at least one test must fail. */
  readonly tests: readonly string[]
  /** Only tests whose name matches: shorter, and says which test is the proof. */
  readonly only?: string
}
