import type { HelpedCommand } from '#core/command-line/command-help.ts'
import type { CommandOptions, CommandValues } from '#core/command-line/option.ts'
import type { ApiClient, ApiQuery } from './api-client.ts'
import type { ClusterNamespaces } from './cluster-namespaces.ts'
import type { Printer } from './resource-table.ts'
import type { StopSignal } from './stop-signal.ts'
import type { Style } from './style.ts'

/** Standard input, or what a test has in its place. */
export type InputStream = AsyncIterable<Uint8Array> & { readonly isTTY?: boolean }

/** Input of a command. Results are written to `out`, everything else to `err`. */
export interface CliInput<Values = unknown> {
  readonly values: Values
  /** Version of the program. */
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Opens standard input. */
  readonly stdin: () => InputStream
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Styles of `out` and of `err`. */
  readonly style: { readonly out: Style; readonly err: Style }
  /** Shows a line on the terminal of `err` until the next one; `''` removes it. Does nothing without a terminal. */
  progress(text: string): void
  /** Columns of the terminal; undefined: standard output is no terminal. */
  readonly width: number | undefined
  /** Resolves at SIGINT, SIGTERM or SIGHUP, for a command that serves until it is stopped. Another one of the same kind ends the process. */
  untilStopped(): Promise<StopSignal>
}

/** Input of a command that calls the API. */
export interface ApiInput<Values = unknown> extends CliInput<Values> {
  readonly api: ApiClient
  /** Query of a list: the namespace of `--namespace` or of the context, or `scope=permitted` for `--all-namespaces`. */
  readonly scope: ApiQuery
  /** The namespace of `--namespace`, else of the context, else `default`. */
  readonly namespace: string
  /** Writes results in the format of `--output`. */
  readonly printer: Printer
}

/** Input of a command that works with a context alone: it has no options of a connection but `--context` and `--kubeconfig`. */
export interface ContextInput<Values = unknown> extends CliInput<Values> {
  readonly api: ApiClient
  /** The namespace of the context, else `default`. */
  readonly namespace: string
  readonly namespaces: ClusterNamespaces
  /** An error for a terminal: that of code which reads a response of another shape names the request. */
  explain(error: unknown): unknown
}

interface CliSpec<O extends CommandOptions, Input> extends HelpedCommand {
  /** Words after `meshctl`, such as `runs list`. */
  readonly words: string
  /** Command lines without the name of the program, with their effect. */
  readonly examples?: readonly (readonly [line: string, effect: string])[]
  readonly options?: O
  /** Exit code for wrong arguments; default 1. */
  readonly usageCode?: 1 | 2
  /** Imports the code of the command; `--help` does not. The code resolves with the exit code. */
  load(): Promise<(input: Input) => Promise<number>>
}

/** A command of `meshctl` as data. */
export interface CliCommand extends HelpedCommand {
  /** Whether it calls the API. It then has the options of the connection; `mesh` runs the others, too. */
  readonly usesApi: boolean
  /** Its input, if it calls the API. */
  readonly connection?: 'flags' | 'context'
  load(): Promise<(input: never) => Promise<number>>
}

/** Declares a command that calls the API. The types of its values follow from its options. */
export function defineApiCommand<const O extends CommandOptions>(
  command: CliSpec<O, ApiInput<CommandValues<O>>>,
): CliCommand {
  return { usageCode: 1, ...command, usesApi: true }
}

/** Declares a command that needs a kubeconfig: it calls the API, and the cluster for namespaces. */
export function defineContextCommand<const O extends CommandOptions>(
  command: CliSpec<O, ContextInput<CommandValues<O>>>,
): CliCommand {
  return { usageCode: 1, ...command, usesApi: true, connection: 'context' }
}

/** Declares a command that calls no API. The types of its values follow from its options. */
export function defineOfflineCommand<const O extends CommandOptions>(
  command: CliSpec<O, CliInput<CommandValues<O>>>,
): CliCommand {
  return { usageCode: 1, ...command, usesApi: false }
}
