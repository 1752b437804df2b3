import { open } from 'node:fs/promises'
import type { CliInput } from '#cli/contract/command.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { BadArguments } from '#core/command-line/option.ts'

/** Options that say where a key is. */
export interface KeyValues {
  readonly 'key-env': string | undefined
  readonly 'key-file': string | undefined
}

const MOST_BYTES = 4096

/**
 * Reads a key from a variable, a file or standard input, without white space around it. Messages name the source and never a part of the key. Throws
 * `CliProblem` or `BadArguments`.
 */
export async function readKey({ env }: Pick<CliInput, 'env'>, values: KeyValues): Promise<string> {
  const { 'key-env': variable, 'key-file': file } = values
  if (variable !== undefined && file !== undefined) throw new BadArguments('give either --key-env or --key-file')
  if (variable !== undefined) return checked(env[variable] ?? '', `the variable of --key-env`)
  if (file !== undefined && file !== '-') return checked(await readFileText(file), 'the file of --key-file')
  if (process.stdin.isTTY)
    throw new BadArguments('give the key by --key-env, by --key-file or on standard input, never as an argument')
  return checked(await readInput(), 'standard input')
}

async function readFileText(file: string): Promise<string> {
  try {
    await using handle = await open(file, 'r')
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MOST_BYTES + 2), 0, MOST_BYTES + 2, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    throw new CliProblem(
      `the file of --key-file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    )
  }
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string
    if (text.length > MOST_BYTES + 2) break
  }
  return text
}

function checked(given: string, source: string): string {
  const key = given.trim()
  if (key === '') throw new CliProblem(`${source} has no key`)
  if (key.length > MOST_BYTES) throw new CliProblem(`${source} has more than ${MOST_BYTES} characters`)
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CliProblem(`${source} has more than a key: white space or other characters`)
  return key
}
