import type { CommandOptions } from './option.ts'

/** A program: its name in messages, and where it writes. */
export interface LineProgram {
  readonly name: string
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** A command of a program. */
export interface LineCommand {
  /** Words after the name of the program. */
  readonly words: string
  /** Absent: the arguments are passed on unchanged. */
  readonly options?: CommandOptions
  /** Exit code for wrong arguments; default 2. */
  readonly usageCode?: number
  /** Exit code of a command that could not run; default 1. */
  readonly failureCode?: number
  /** Its output for `--help`. */
  readonly help: () => string
  /** Runs it with the values of its options, or with its arguments if it declares none. Resolves with the exit code. */
  run(values: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<number>
}

/** No command has the given words. */
export class UnknownCommand extends Error {
  override readonly name = 'UnknownCommand'
}

/** A failure that is printed as its message. */
export class CommandFailure extends Error {
  /** Default: the one of a command that could not run. */
  readonly exitCode: number | undefined
  constructor(message: string, exitCode?: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Exit codes that every program has. */
export const lineCodes = { ok: 0, failed: 1, usage: 2 } as const
