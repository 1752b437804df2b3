import { UnknownCommand } from '#core/command-line/program.ts'
import { runLine } from '#core/command-line/run-line.ts'
import { coreCommands } from '../commands/core-commands.ts'
import { lineOf } from '../commands/line-of-command.ts'
import { pluginsOfSettings, runCommand } from '../commands/run-command.ts'
import type { CommandRun } from '../commands/run-command.ts'
import { commandsOf } from '../load/plugin-commands.ts'
import type { OwnedCommand } from '../load/plugin-commands.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Output of a command, and its exit code. */
export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Environment of a tested command. */
export interface TestedCommand {
  readonly env?: Readonly<Record<string, string>>
  readonly plugins?: readonly AnyPlugin[]
  /** Called with what the command writes, for one that serves. */
  readonly onOut?: (text: string) => void
  /** Default: the command is stopped immediately. */
  readonly untilStopped?: () => Promise<void>
  readonly openApi?: CommandRun['openApi']
}

/** Runs a command of core, of these plugins (the built-in ones of the program), or of a plugin of the settings. */
export async function runForTest(
  words: string,
  args: readonly string[] = [],
  given: TestedCommand = {},
): Promise<CommandResult> {
  const { env = {}, plugins = [], onOut = () => undefined, untilStopped = async () => undefined } = given
  const { openApi = () => Promise.reject(new Error('no API')) } = given
  const program = { version: '0.0.0', builtIn: async () => plugins }
  let [out, err] = ['', '']
  const terminal = {
    name: 'mesh',
    out: (text: string): void => {
      out += text
      onOut(text)
    },
    err: (text: string): void => {
      err += text
    },
  }
  const run = (commands: readonly OwnedCommand[]): Promise<number> => {
    const lines = commands.map((owned) =>
      lineOf(owned.command, (values) =>
        runCommand(owned, values, { ...terminal, program, env, untilStopped, openApi }),
      ),
    )
    return runLine(terminal, lines, [...words.split(' '), ...args])
  }
  const known = [...coreCommands.map((command) => ({ command })), ...commandsOf(plugins, new Set())]
  const code = await run(known).catch(async (error: unknown) => {
    if (!(error instanceof UnknownCommand)) throw error
    return run((await pluginsOfSettings({ env, program })).commands)
  })
  return { code, out, err }
}
