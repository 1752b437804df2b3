import { untilSignal } from '#core/async/until-signal.ts'
import { lineCodes } from '#core/command-line/program.ts'
import type { LineProgram } from '#core/command-line/program.ts'
import type { InputStream } from '#cli/contract/command.ts'

/** A program that runs commands: its name, its environment, and where it writes. */
export interface CliProgram extends LineProgram {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: () => InputStream
  readonly isTerminal: boolean
  /** Columns of the terminal. */
  readonly width: number | undefined
  readonly now: () => Date
  readonly untilStopped: () => Promise<void>
}

/** This process as a program. */
export function processProgram(name: string, version: string): CliProgram {
  endWithReader()
  return {
    name,
    version,
    env: process.env,
    stdin: () => process.stdin,
    isTerminal: process.stdout.isTTY,
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    now: () => new Date(),
    out: (text) => {
      process.stdout.write(text)
    },
    err: (text) => {
      process.stderr.write(text)
    },
    untilStopped: async () => {
      await untilSignal()
    },
  }
}

// Once per process: a test may make several programs in one.
function endWithReader(): void {
  if (!process.stdout.listeners('error').includes(onOutputError)) process.stdout.on('error', onOutputError)
}

// A reader that has seen enough, such as `head`, is no failure.
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(lineCodes.ok)
}
