import type { CommandOptions, CommandValues } from '#core/command-line/option.ts'
import type { ApiClient } from '#core/http-client/api-client.ts'
import type { Store } from '#core/event-store/store.ts'

/** What a command may read of the store. Changes are made through the API, where they are authorized and audited. */
export type CommandStore = Pick<Store, 'reader' | 'readStream' | 'newestPosition' | 'epoch'>

/** Input of a command. Results are written to `out`, problems to `err`. */
export interface CommandInput<Values = unknown> {
  readonly values: Values
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Resolves at SIGTERM or SIGINT, for a command that serves until it is stopped. A second signal ends the process. */
  untilStopped(): Promise<void>
  /** The plugin's section of the settings, validated by its schema. */
  settings<Section>(): Promise<Section>
  /** Opens the configured database; it is closed when the command ends. Rejects if the settings name none. */
  openStore(): Promise<CommandStore>
  /**
   * Calls the API of the installation as a person: with `MESH_SERVER` and `MESH_TOKEN`, as the context of `KUBECONFIG`, or as the developer
   * of the embedded default that runs in this folder. Rejects if address or token are not known.
   */
  api(): Promise<ApiClient>
}

/** The code of a command. Resolves with the exit code. */
export type RunCommand<Values> = (input: CommandInput<Values>) => Promise<number>

/** A command with the types of its options. */
export interface CommandSpec<O extends CommandOptions> {
  /** Words after `mesh`, such as `audit verify`. */
  readonly words: string
  /** One line of `mesh --help`. */
  readonly summary: string
  /** Command lines with their effect, shown first in the help. */
  readonly examples?: readonly (readonly [line: string, effect: string])[]
  /** Paragraphs of `mesh <words> --help`; default: the summary. */
  readonly description?: string
  readonly options?: O
  /** Its own exit codes, or other descriptions of 0 (done), 1 (could not run) and 2 (wrong arguments). */
  readonly exitCodes?: Readonly<Record<number, string>>
  /** Imports the code of the command; `--help` does not. */
  load(): Promise<RunCommand<CommandValues<O>>>
}

/** A command as data. Core parses its options and generates its help. */
export interface Command extends Omit<CommandSpec<CommandOptions>, 'load'> {
  load(): Promise<RunCommand<never>>
}

/** Declares a command. The types of its values follow from its options. */
export function defineCommand<const O extends CommandOptions>(command: CommandSpec<O>): Command {
  return command
}
