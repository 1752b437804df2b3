import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Paths under the data folder of the embedded default. */
export interface DataFolder {
  readonly root: string
  readonly apiserver: string
  readonly database: string
  readonly keys: string
  readonly workloads: string
  readonly kubeconfig: string
  readonly tokens: string
}

/** Makes the folder (0700) if it is not there; with `fresh` its content goes first. Throws when it is a file. */
export function openDataFolder(path: string, fresh: boolean): DataFolder {
  const root = resolve(path)
  if (fresh && existsSync(root)) removeOurs(root)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  chmodSync(root, 0o700)
  const folder = pathsOf(root)
  for (const sub of [folder.apiserver, folder.keys, folder.workloads]) mkdirSync(sub, { recursive: true, mode: 0o700 })
  return folder
}

function pathsOf(root: string): DataFolder {
  return {
    root,
    apiserver: join(root, 'apiserver'),
    database: join(root, 'database'),
    keys: join(root, 'keys'),
    workloads: join(root, 'workloads'),
    kubeconfig: join(root, 'kubeconfig'),
    tokens: join(root, 'tokens.json'),
  }
}

// `--fresh` names a folder by hand: only what we made in it is removed, never a home directory.
function removeOurs(root: string): void {
  const folder = pathsOf(root)
  for (const path of Object.values(folder)) if (path !== root) rmSync(path, { recursive: true, force: true })
}

/** Tokens by persona, made once and kept 0600: a second start knows the kubeconfig of the first. */
export function loadTokens<Name extends string>(file: string, names: readonly Name[]): Readonly<Record<Name, string>> {
  const known: Partial<Record<string, unknown>> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const entries = names.map((name) => {
    const token = known[name]
    return [name, typeof token === 'string' ? token : `mesh-${name}-${randomBytes(24).toString('base64url')}`] as const
  })
  const tokens = Object.fromEntries(entries) as Record<Name, string>
  writePrivate(file, JSON.stringify(tokens, undefined, 2))
  return tokens
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
