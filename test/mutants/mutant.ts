/** A small plausible defect, and the tests that must detect it. */
export interface Mutant {
  /** Effect of the defect, as a sentence without a full stop. */
  readonly name: string
  /** Path from the root of the repository. */
  readonly file: string
  /** Text that occurs in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files, in which at least one test must fail. */
  readonly tests: readonly string[]
  /** Runs only tests with a matching name, which is faster and names the proof. */
  readonly only?: string
}
