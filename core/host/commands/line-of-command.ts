import { commandHelp } from '#core/command-line/command-help.ts'
import type { LineCommand } from '#core/command-line/program.ts'
import type { Command } from '#core/plugin/command.ts'

/** Converts a command to one of a program. Its code is imported when it runs. */
export function lineOf(command: Command, run: LineCommand['run']): LineCommand {
  return { words: command.words, options: command.options ?? {}, help: () => commandHelp(command), run }
}
