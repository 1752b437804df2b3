import { lineCodes, UnknownCommand } from '#core/command-line/program.ts'
import { pluginCommands } from './command-list.ts'
import type { CliCommand } from './contract/command.ts'
import type { ListedCommand } from './contract/listed-command.ts'
import { callApi } from './api-command/commands.ts'
import { completion } from './completion/commands.ts'
import { listContexts, setContext, useContext } from './context/commands.ts'
import { devCommand } from './dev/commands.ts'
import { processProgram } from './run/cli-program.ts'
import type { CliProgram } from './run/cli-program.ts'
import { helpOf, lineOfListed, withCodes } from './run/line-of-command.ts'
import { cliOverview } from './run/overview.ts'
import { version } from './version.ts'

const ownCommands = [callApi, completion, devCommand(pluginCommands), listContexts, setContext, useContext].map(
  asListed,
)

/** Every command of `meshctl`, in the order of its help. */
export const cliCommands: readonly ListedCommand[] = [...ownCommands, ...pluginCommands].toSorted((a, b) =>
  a.words < b.words ? -1 : 1,
)

/** `meshctl <words>`: runs a command, and resolves with its exit code. */
export async function main(
  args: readonly string[],
  program: CliProgram = processProgram('meshctl', version),
  commands: readonly ListedCommand[] = cliCommands,
): Promise<number> {
  const code = await runArgs(args, program, commands)
  // Without a reader the process ends in the flush.
  if (code !== lineCodes.ok) program.setExitCode(code)
  await program.flush?.()
  return code
}

async function runArgs(
  args: readonly string[],
  program: CliProgram,
  commands: readonly ListedCommand[],
): Promise<number> {
  const [first = '--help'] = args
  // Before the words as after them.
  if (first === '--no-color') return runArgs(args.slice(1), { ...program, hasColor: false }, commands)
  if (/^(?:--help|-h|help)$/.test(first)) return print(program, cliOverview(commands))
  if (/^(?:--version|-v)$/.test(first)) return print(program, `${program.version}\n`)
  if (first === 'complete') return (await import('./completion/complete.ts')).complete(program, commands, args.slice(1))
  const { runLine } = await import('#core/command-line/run-line.ts')
  try {
    // Commander takes as long for each command as for the one that is called.
    const called = commands.filter(({ words }) => words.split(' ', 1)[0] === first)
    const lines = (called.length === 0 ? commands : called).map((command) => lineOfListed(program, command, args))
    return await runLine(program, lines, args)
  } catch (error) {
    if (!(error instanceof UnknownCommand)) throw error
    const outside = await runOfThirdParty(args, program)
    if (outside !== undefined) return outside
    const { unknownCommand } = await import('#core/command-line/unknown-command.ts')
    const known = commands.map(({ words }) => words)
    program.err(`meshctl: ${unknownCommand(args, known, 'meshctl')}\nmeshctl --help lists every command.\n`)
    return lineCodes.failed
  }
}

// Own commands come first: a program on the PATH never replaces one.
async function runOfThirdParty(args: readonly string[], program: CliProgram): Promise<number | undefined> {
  const { findOutsideCommand } = await import('./outside/outside-commands.ts')
  const found = findOutsideCommand(args, program.env)
  if (found === undefined) return undefined
  const { runOutside } = await import('./outside/run-outside.ts')
  try {
    return await runOutside(found, args, program.hasColor ? program.env : { ...program.env, NO_COLOR: '1' })
  } catch (error) {
    program.err(`meshctl: ${error instanceof Error ? error.message : 'the program cannot be started'}\n`)
    return lineCodes.failed
  }
}

/** The help text of every command by its words; '' is `meshctl --help`. */
export async function cliHelpPages(): Promise<ReadonlyMap<string, string>> {
  const commands = await Promise.all(cliCommands.map((command) => command.load()))
  const pages = commands.map((command) => [command.words, helpOf({ name: 'meshctl' }, command)] as const)
  return new Map([['', cliOverview(cliCommands)], ...pages])
}

/** The exit codes of every command, by its words. */
export async function cliExitCodes(): Promise<ReadonlyMap<string, Readonly<Record<number, string>>>> {
  const { exitCodesOf } = await import('#core/command-line/command-help.ts')
  const commands = await Promise.all(cliCommands.map((command) => command.load()))
  return new Map(commands.map((command) => [command.words, exitCodesOf(withCodes(command))]))
}

function asListed(command: CliCommand): ListedCommand {
  const { words, summary, usesApi } = command
  return { words, summary, usesApi, load: async () => command }
}

function print({ out }: CliProgram, text: string): number {
  out(text)
  return lineCodes.ok
}
