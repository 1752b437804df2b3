/** A rule that cannot be applied. The message never repeats a pattern or a value. */
export class PolicyProblem extends Error {
  /** JSON pointer below the spec: `/rules/0/regex/patterns/1`. */
  readonly pointer: string
  readonly detail: string
  constructor(pointer: string, detail: string) {
    super(`${pointer} ${detail}`)
    this.name = 'PolicyProblem'
    this.pointer = pointer
    this.detail = detail
  }

  /** Returns the same problem with a pointer before its own. */
  below(pointer: string): PolicyProblem {
    return new PolicyProblem(`${pointer}${this.pointer}`, this.detail)
  }
}
