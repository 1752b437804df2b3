import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { takeLock } from '#core/store/process-lock.ts'

/** Paths under the data folder of the embedded default. */
export interface DataFolder {
  readonly root: string
  readonly apiserver: string
  readonly database: string
  readonly keys: string
  readonly workloads: string
  /** Outcomes on their way to the audit log. */
  readonly audit: string
  readonly kubeconfig: string
  readonly tokens: string
}

/** A data folder that is this process's until `release`. */
export interface OpenFolder {
  readonly folder: DataFolder
  release(): void
}

/**
 * Makes the folder (0700) if it is not there and locks it: a live process's is refused with its pid (`LockedError`).
 * With `fresh` the content goes, but only behind the lock.
 */
export function openDataFolder(path: string, fresh: boolean): OpenFolder {
  const root = resolve(path)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  chmodSync(root, 0o700)
  const { release } = takeLock(join(root, 'lock'))
  const folder = pathsOf(root)
  if (fresh) removeOurs(folder)
  for (const sub of [folder.apiserver, folder.keys, folder.workloads]) mkdirSync(sub, { recursive: true, mode: 0o700 })
  return { folder, release }
}

function pathsOf(root: string): DataFolder {
  return {
    root,
    apiserver: join(root, 'apiserver'),
    database: join(root, 'database'),
    keys: join(root, 'keys'),
    workloads: join(root, 'workloads'),
    audit: join(root, 'audit'),
    kubeconfig: join(root, 'kubeconfig'),
    tokens: join(root, 'tokens.json'),
  }
}

// `--fresh` names a folder by hand: only what we made in it is removed, never a home directory.
function removeOurs({ root, ...ours }: DataFolder): void {
  for (const path of Object.values(ours)) if (path !== root) rmSync(path, { recursive: true, force: true })
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
