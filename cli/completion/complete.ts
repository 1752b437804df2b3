import type { CliProgram } from '../run/cli-program.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import { listOutsideWords } from '../outside/outside-commands.ts'
import { findCompletions } from './find-completions.ts'

/** Directives of the scripts: no space after the word, and no names of files. */
const NO_SPACE = 2
const NO_FILES = 4

/** `meshctl complete -- WORD...`: prints what may be at the place of the last word, as the scripts of shells read it. */
export async function complete(
  { out, env }: CliProgram,
  commands: readonly ListedCommand[],
  [mark, ...rest]: readonly string[],
): Promise<number> {
  const words = mark === undefined || mark === '--' ? rest : [mark, ...rest]
  const found = await findCompletions(commands, words, listOutsideWords(env))
  const lines = found.map(({ value, help }) => `${value}\t${help}\n`)
  const isFolder = found.length === 1 && found[0]?.value.endsWith('/') === true
  out(`${lines.join('')}:${NO_FILES + (isFolder ? NO_SPACE : 0)}\n`)
  return 0
}
