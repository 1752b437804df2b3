import type { CliCommand } from './command.ts'

/** A line of `meshctl --help`. The declaration of the command is imported only when the command is called. */
export interface ListedCommand {
  readonly words: string
  readonly summary: string
  readonly usesApi: boolean
  load(): Promise<CliCommand>
}
