/** A failure with one line that says what is wrong, and one that says what to do. */
export class CliProblem extends Error {
  override readonly name = 'CliProblem'
  constructor(problem: string, hint?: string) {
    super(hint === undefined ? problem : `${problem}\n${hint}`)
  }
}
