import { lineCodes } from '#core/command-line/program.ts'
import type { LineProgram } from '#core/command-line/program.ts'
import type { InputStream } from '#cli/contract/command.ts'
import type { StopSignal } from '#cli/contract/stop-signal.ts'
import { untilStopped } from './until-stopped.ts'

/** A program that runs commands: its name, its environment, and where it writes. */
export interface CliProgram extends LineProgram {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: () => InputStream
  readonly isTerminal: boolean
  /** Whether `err` is a terminal. */
  readonly errIsTerminal: boolean
  /** Columns of the terminal. */
  readonly width: number | undefined
  /** Whether a terminal gets colours; `--no-color` takes them away. */
  readonly hasColor: boolean
  readonly now: () => Date
  /** Sets the exit code before a command that has a verdict prints it: the reader may be gone. */
  readonly setExitCode: (code: number) => void
  readonly untilStopped: () => Promise<StopSignal>
  /** Resolves when what was printed is written, or cannot be. */
  readonly flush?: () => Promise<void>
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
    errIsTerminal: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
    // A terminal that does not know its size has 0 columns.
    width: (process.stdout.isTTY ? process.stdout.columns : process.stderr.columns) || undefined,
    hasColor: wantsColor(process.env),
    now: () => new Date(),
    setExitCode: (code) => {
      process.exitCode = code
    },
    out: (text) => {
      process.stdout.write(text)
    },
    err: (text) => {
      process.stderr.write(text)
    },
    untilStopped,
    // A failed write is an event of a later turn, which the end of the process must not precede.
    flush: () => new Promise((resolve) => process.stdout.write('', () => setImmediate(resolve))),
  }
}

/** Whether the environment lets a terminal have colours: `NO_COLOR` (https://no-color.org) and `TERM=dumb` do not. */
export function wantsColor({ NO_COLOR: off = '', TERM: term }: CliProgram['env']): boolean {
  return off === '' && term !== 'dumb'
}

// Once per process: a test may make several programs in one.
function endWithReader(): void {
  if (process.stdout.listeners('error').includes(onOutputError)) return
  process.stdout.on('error', onOutputError)
  // Without a reader of messages the command goes on.
  process.stderr.on('error', () => undefined)
}

const NO_VERDICT = 2

// A reader that has seen enough, such as `head`, is no failure. A full disk is one, and no verdict of a command that has one.
function onOutputError({ code = 'unknown error' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(process.exitCode ?? lineCodes.ok)
  process.stderr.write(`standard output cannot be written: ${code}\nWhat was printed is not complete.\n`)
  process.exit(process.exitCode === undefined ? lineCodes.failed : NO_VERDICT)
}
