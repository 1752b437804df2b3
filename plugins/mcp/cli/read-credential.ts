import type { CliInput } from '#cli/contract/command.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { readText } from '#cli/contract/read-text.ts'

/** Where a credential is read from. */
export interface CredentialSource {
  readonly 'credential-file': string | undefined
  readonly 'credential-env': string | undefined
}

const MAX_LENGTH = 8_192

/** Reads a credential from a file, standard input or a variable; undefined without a source. A line break at its end is not part of it. */
export async function readGivenCredential(
  input: Pick<CliInput, 'env' | 'stdin'>,
  { 'credential-file': path, 'credential-env': name }: CredentialSource,
): Promise<string | undefined> {
  if (path !== undefined && name !== undefined)
    throw new CliProblem('--credential-file and --credential-env are both given', 'Give one of them.')
  if (name !== undefined) {
    const value = input.env[name]
    if (value === undefined || value === '') throw new CliProblem(`--credential-env: the variable ${name} is not set`)
    return value
  }
  if (path === undefined) return undefined
  const title = `--credential-file ${path}`
  const value = (await readText(input, { path, title, maxBytes: 4 * MAX_LENGTH })).replace(/\r?\n$/, '')
  if (value === '' || value.length > MAX_LENGTH)
    throw new CliProblem(`${title}: must have 1 to ${MAX_LENGTH} characters`)
  return value
}
