import type { Database } from '#core/database/database.ts'
import type { CommandOptions, CommandValues } from '#core/command-line/option.ts'
import type { Command, CommandInput, CommandSpec } from '#core/plugin/command.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { LoadedPlugins } from '../third-party/load-plugins.ts'
import type { coreWords } from '../load/plugin-commands.ts'

/** Context that the program passes to its commands. */
export interface Program {
  readonly version: string
  /** Imports the built-in plugins. */
  readonly builtIn: () => Promise<readonly AnyPlugin[]>
}

/** Input of core's own commands. */
export interface CoreCommandInput<Values = unknown> extends CommandInput<Values> {
  readonly program: Program
  /** The built-in plugins, and those of the settings. */
  plugins(): Promise<LoadedPlugins>
  /** Opens the configured database for writing; it is closed when the command ends. */
  openDatabase(): Promise<Database>
}

type CoreWords = `${(typeof coreWords)[number]}${'' | ` ${string}`}`
interface CoreCommandSpec<O extends CommandOptions> extends Omit<CommandSpec<O>, 'load' | 'words'> {
  /** Words of the command, of which the first is reserved for the platform. */
  readonly words: CoreWords
  load(): Promise<(input: CoreCommandInput<CommandValues<O>>) => Promise<number>>
}

/** Declares a command of core, which is run with `CoreCommandInput`. */
export function defineCoreCommand<const O extends CommandOptions>(command: CoreCommandSpec<O>): Command {
  return {
    ...command,
    // `runCommand` passes the whole input to every command; the type of a plugin's command shows only a part.
    load: async () => {
      const run = await command.load()
      return (input) => run(input as CoreCommandInput<never>)
    },
  }
}
