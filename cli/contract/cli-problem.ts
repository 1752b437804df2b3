import { CommandFailure } from '#core/command-line/program.ts'

/** A failure with one line that says what is wrong, and one that says what to do. */
export class CliProblem extends CommandFailure {
  override readonly name = 'CliProblem'
  constructor(problem: string, hint?: string, exitCode?: number) {
    super(hint === undefined ? problem : `${problem}\n${hint}`, exitCode)
  }
}
