import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseDocument } from 'yaml'
import type { Document } from 'yaml'
import { isObject } from '#core/json/is-object.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'

/** Name of the extension of a cluster entry: address and certificate authority of the API of mesh. */
export const API_EXTENSION = 'mesh.dev/api'

const MAX_BYTES = 4 * 1024 * 1024

/** A parsed kubeconfig. */
export interface KubeconfigFile {
  readonly path: string
  readonly document: Document
  /** Its content; an empty object for an empty file. */
  readonly content: Readonly<Record<string, unknown>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Paths of the kubeconfig files: of the flag, of `KUBECONFIG`, or the default. Only the file of the flag must exist. */
export function kubeconfigPaths(flag: string | undefined, env: Environment): readonly string[] {
  if (flag !== undefined) return [flag]
  const { KUBECONFIG: listed = '', HOME: home = homedir() } = env
  const paths = listed.split(delimiter).filter((path) => path !== '')
  return paths.length > 0 ? paths : [join(home, '.kube', 'config')]
}

/** Throws `CliProblem` if there is no kubeconfig. */
export function requireKubeconfig(flag: string | undefined, env: Environment): void {
  const paths = kubeconfigPaths(flag, env)
  if (paths.some((path) => existsSync(path))) return
  throw new CliProblem(`no kubeconfig: ${toSafeText(paths.join(', '))} does not exist`, KUBECONFIG_HINT)
}

const KUBECONFIG_HINT = '--kubeconfig FILE or KUBECONFIG names the one of your cluster.'

/** Reads the files that exist. Throws `CliProblem`, which names the file. */
export function readKubeconfigs(flag: string | undefined, env: Environment): readonly KubeconfigFile[] {
  return kubeconfigPaths(flag, env).flatMap((path) => {
    const text = readText(path, flag !== undefined)
    return text === undefined ? [] : [parseKubeconfig(path, text)]
  })
}

function readText(path: string, mustExist: boolean): string | undefined {
  try {
    const found = statSync(path)
    if (!found.isFile()) throw problemOf(path, 'is not a file')
    if (found.size > MAX_BYTES) throw problemOf(path, `has more than ${MAX_BYTES} bytes`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !mustExist) return undefined
    throw error instanceof CliProblem ? error : problemOf(path, `cannot be read (${code})`)
  }
}

function parseKubeconfig(path: string, text: string): KubeconfigFile {
  const document = parseDocument(text, { logLevel: 'silent' })
  const [problem] = document.errors
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line
    throw problemOf(path, `is not YAML${line === undefined ? '' : ` (line ${line})`}`)
  }
  const content: unknown = toPlain(document, path) ?? {}
  if (!isObject(content)) throw problemOf(path, 'is not a kubeconfig')
  return { path, document, content }
}

// A bomb of aliases is refused by the parser.
function toPlain(document: Document, path: string): unknown {
  try {
    return document.toJS()
  } catch {
    throw problemOf(path, 'has too many aliases')
  }
}

function problemOf(path: string, problem: string): CliProblem {
  return new CliProblem(`kubeconfig ${toSafeText(path)}: ${problem}`, KUBECONFIG_HINT)
}

/** The entries of a list of a kubeconfig that are objects with a name, such as `contexts`. */
export function namedEntries(
  { content }: KubeconfigFile,
  list: 'clusters' | 'contexts' | 'users',
): readonly (Readonly<Record<string, unknown>> & { readonly name: string })[] {
  const entries = content[list]
  if (!Array.isArray(entries)) return []
  return entries.filter((entry) => isObject(entry) && typeof entry.name === 'string')
}

/** A string field of an object of a kubeconfig. */
export function textField(object: unknown, name: string): string | undefined {
  if (!isObject(object)) return undefined
  const value = object[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
