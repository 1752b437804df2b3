import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CliProblem } from '#cli/contract/cli-problem.ts'

/** Where a credential is read from. */
export interface CredentialSource {
  readonly 'credential-file': string | undefined
  readonly 'credential-env': string | undefined
}

const MAX_LENGTH = 8_192

/** Reads a credential from a file, standard input or a variable; undefined without a source. A line break at its end is not part of it. */
export async function readGivenCredential(
  { 'credential-file': file, 'credential-env': name }: CredentialSource,
  env: Readonly<Record<string, string | undefined>>,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<string | undefined> {
  if (file !== undefined && name !== undefined)
    throw new CliProblem('--credential-file and --credential-env are both given', 'Give one of them.')
  if (name !== undefined) {
    const value = env[name]
    if (value === undefined || value === '') throw new CliProblem(`--credential-env: the variable ${name} is not set`)
    return value
  }
  if (file === undefined) return undefined
  const value = (file === '-' ? await text(stdin) : await readText(file)).replace(/\r?\n$/, '')
  if (value === '' || value.length > MAX_LENGTH)
    throw new CliProblem(`--credential-file ${file}: must have 1 to ${MAX_LENGTH} characters`)
  return value
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new CliProblem(`--credential-file ${file}: cannot be read`)
  }
}
