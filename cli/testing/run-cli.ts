import { Readable } from 'node:stream'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import { cliCommands, main } from '../main.ts'
import type { StopSignal } from '#cli/contract/stop-signal.ts'
import type { CliProgram } from '../run/cli-program.ts'

/** Output of a command, and its exit code. */
export interface CliResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Environment of a tested command. */
export interface TestedCli {
  readonly env?: Readonly<Record<string, string>>
  /** Columns of the terminal; default: the output is no terminal. */
  readonly width?: number
  /** Whether the terminal has colours. */
  readonly hasColor?: boolean
  readonly now?: Date
  /** Content of standard input. */
  readonly stdin?: string | Uint8Array
  /** Default: those of the program. */
  readonly commands?: readonly ListedCommand[]
  /** Called with what the command writes, for one that serves. */
  readonly onOut?: (text: string) => void
  /** Default: the command is stopped immediately. */
  readonly untilStopped?: () => Promise<StopSignal | void>
}

/** Runs `meshctl` in this process. */
export async function runCli(args: readonly string[], given: TestedCli = {}): Promise<CliResult> {
  const { commands = cliCommands, env = {}, stdin = '', width, now = new Date(), onOut = () => undefined } = given
  let [out, err] = ['', '']
  const program: CliProgram = {
    name: 'meshctl',
    version: '0.0.0',
    // No kubeconfig of this machine.
    env: { HOME: '/nonexistent', ...env },
    stdin: () => Readable.from([Buffer.from(stdin)]),
    isTerminal: width !== undefined,
    errIsTerminal: width !== undefined,
    width,
    hasColor: given.hasColor ?? false,
    now: () => now,
    setExitCode: () => undefined,
    out: (text) => {
      out += text
      onOut(text)
    },
    err: (text) => {
      err += text
    },
    untilStopped: async () => (await given.untilStopped?.()) ?? 'SIGTERM',
  }
  const code = await main(args, program, commands)
  return { code, out, err }
}
