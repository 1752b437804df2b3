import { coreCommands } from '../commands/core-commands.ts'
import { findByWords } from '../commands/help.ts'
import { pluginsOfSettings, runCommand } from '../commands/run-command.ts'
import { commandsOf } from '../load/plugin-commands.ts'
import type { OwnedCommand } from '../load/plugin-commands.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** What a command wrote, and its exit code. */
export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Surroundings of a tested command. */
export interface TestedCommand {
  readonly env?: Readonly<Record<string, string>>
  readonly plugins?: readonly AnyPlugin[]
  /** Called with what the command writes, for one that serves. */
  readonly onOut?: (text: string) => void
  /** Default: the command is stopped at once. */
  readonly untilStopped?: () => Promise<void>
}

/** Runs a command of core, of these plugins, which are the built-in ones of the program, or of a plugin of the settings. */
export async function runForTest(
  words: string,
  args: readonly string[] = [],
  given: TestedCommand = {},
): Promise<CommandResult> {
  const { env = {}, plugins = [], onOut = () => undefined, untilStopped = async () => undefined } = given
  const program = { version: '0.0.0', builtIn: async () => plugins }
  const find = (commands: readonly OwnedCommand[]) =>
    findByWords(
      commands.map((owned) => ({ ...owned.command, owned })),
      words.split(' '),
    )?.entry.owned
  const owned =
    find([...coreCommands.map((command) => ({ command })), ...commandsOf(plugins, new Set())]) ??
    find((await pluginsOfSettings({ env, program })).commands)
  if (owned === undefined || owned.command.words !== words) throw new Error(`there is no command ${words}`)
  let [out, err] = ['', '']
  const code = await runCommand(owned, args, {
    program,
    env,
    untilStopped,
    out: (text) => {
      out += text
      onOut(text)
    },
    err: (text) => void (err += text),
  })
  return { code, out, err }
}
