import type { CliInput } from '#cli/contract/command.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { readText } from '#cli/contract/read-text.ts'
import { BadArguments } from '#core/command-line/option.ts'

/** Options that say where a key is. */
export interface KeyValues {
  readonly 'key-env': string | undefined
  readonly 'key-file': string | undefined
}

const MOST_BYTES = 4096
const HINT = 'Nothing was sent. The source must have the key and nothing else.'

/**
 * Reads a key from a variable, a file or standard input, without white space around it. Messages name the source and never a part of the key. Throws
 * `CliProblem` or `BadArguments`.
 */
export async function readKey(
  input: Pick<CliInput, 'env' | 'stdin'>,
  { 'key-env': variable, 'key-file': path = '-' }: KeyValues,
): Promise<string> {
  if (variable !== undefined && path !== '-') throw new BadArguments('give either --key-env or --key-file')
  if (variable !== undefined) return checked(input.env[variable] ?? '', `the variable of --key-env`)
  if (path === '-' && input.stdin().isTTY === true)
    throw new BadArguments('give the key by --key-env, by --key-file or on standard input, never as an argument')
  const title = 'the file of --key-file'
  // With the line break at its end.
  const text = await readText(input, { path, title, maxBytes: MOST_BYTES + 2 })
  return checked(text, path === '-' ? 'standard input' : title)
}

function checked(given: string, source: string): string {
  const key = given.trim()
  if (key === '') throw new CliProblem(`${source} has no key`, HINT)
  if (key.length > MOST_BYTES) throw new CliProblem(`${source} has more than ${MOST_BYTES} characters`, HINT)
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CliProblem(`${source} has more than a key: white space or other characters`, HINT)
  return key
}
