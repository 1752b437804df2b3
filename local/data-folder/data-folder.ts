import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileProblem, isFull } from '#core/config/describe-file-error.ts'
import { LockedError, takeLock } from '#core/database/lock-file.ts'

/** Paths under the data folder of the embedded default. */
export interface DataFolder {
  readonly root: string
  readonly apiserver: string
  readonly database: string
  readonly keys: string
  readonly workloads: string
  /** Recordings of runs. */
  readonly objects: string
  /** Outcomes that are not in the audit log yet. */
  readonly audit: string
  readonly kubeconfig: string
  /** A kubeconfig per persona, which is its current context. */
  readonly kubeconfigs: string
  readonly tokens: string
  /** Addresses of the platform, while it runs. */
  readonly running: string
  /** Bearer token of the embedded API server for the manager's audit listener. */
  readonly webhookToken: string
}

/** A data folder that is locked by this process until `release`. */
export interface OpenFolder {
  readonly folder: DataFolder
  release(): void
}

/** `--data` is not usable as a data folder; the message gives the reason. */
export class BadDataFolder extends Error {
  constructor(path: string, why: string, cause?: unknown) {
    super(`--data ${path}: ${why}`, { cause })
    this.name = 'BadDataFolder'
  }
}

/**
 * Creates the folder (0700) if absent and locks it; a folder of a live process is refused with its pid (`LockedError`).
 * An existing folder keeps its mode, since every file below has its own; a folder with other content is refused
 * (`BadDataFolder`). `fresh` removes the content, under the lock.
 */
export function openDataFolder(path: string, fresh: boolean): OpenFolder {
  const root = resolve(path)
  const folder = pathsOf(root)
  makeRoot(path, root)
  refuseForeign(path, folder)
  const { release } = named(path, 'lock', () => takeLock(join(root, 'lock')))
  try {
    if (fresh) named(path, 'content', () => removeOurs(folder))
    // Left by a process that was killed.
    rmSync(folder.running, { force: true })
    for (const sub of [folder.apiserver, folder.keys, folder.workloads, folder.kubeconfigs])
      named(path, basename(sub), () => mkdirSync(sub, { recursive: true, mode: 0o700 }))
    return { folder, release }
  } catch (error) {
    release()
    throw error
  }
}

// Creates one directory at a time: a recursive mkdir below /proc never returns.
function makeRoot(path: string, root: string): void {
  const missing: string[] = []
  for (let at = root; !existsSync(at); at = dirname(at)) missing.unshift(at)
  try {
    for (const folder of missing) mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (isFull(error)) throw error
    throw new BadDataFolder(path, `cannot be created: ${fileProblem(error)}`, error)
  }
  if (!statSync(root).isDirectory()) throw new BadDataFolder(path, 'is a file, not a folder')
}

// A full disk is reported for the folder.
function named<T>(path: string, what: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (error instanceof LockedError || isFull(error)) throw error
    throw new BadDataFolder(path, `cannot be written (${what}): ${fileProblem(error)}`, error)
  }
}

// Content of an earlier start, even an incomplete one. A folder with other content is neither locked nor written.
function refuseForeign(path: string, { root, ...ours }: DataFolder): void {
  const found = named(path, 'folder', () => readdirSync(root))
  const made = new Set(['lock', ...Object.values(ours).map((own) => basename(own))])
  if (found.length === 0 || found.some((name) => made.has(name))) return
  throw new BadDataFolder(path, 'is not empty and was not created by mesh; name an empty or a new folder')
}

/** Paths of a data folder. */
export function pathsOf(root: string): DataFolder {
  return {
    root,
    apiserver: join(root, 'apiserver'),
    database: join(root, 'database'),
    keys: join(root, 'keys'),
    workloads: join(root, 'workloads'),
    objects: join(root, 'objects'),
    audit: join(root, 'audit'),
    kubeconfig: join(root, 'kubeconfig'),
    kubeconfigs: join(root, 'kubeconfigs'),
    tokens: join(root, 'tokens.json'),
    running: join(root, 'running.json'),
    webhookToken: join(root, 'audit-webhook-token'),
  }
}

// `--fresh` applies to a folder that the user names: only files of mesh are removed, never a home directory.
function removeOurs({ root, ...ours }: DataFolder): void {
  for (const path of Object.values(ours)) if (path !== root) rmSync(path, { recursive: true, force: true })
}

/** Tokens by persona, created once with mode 0600: the kubeconfig of an earlier start stays valid. */
export function loadTokens<Name extends string>(file: string, names: readonly Name[]): Readonly<Record<Name, string>> {
  const known = existsSync(file) ? readTokens(file) : {}
  const entries = names.map((name) => {
    const token = known[name]
    return [name, typeof token === 'string' ? token : `mesh-${name}-${randomBytes(24).toString('base64url')}`] as const
  })
  const tokens = Object.fromEntries(entries) as Record<Name, string>
  writePrivate(file, JSON.stringify(tokens, undefined, 2))
  return tokens
}

/** A file of the data folder that is not usable. The message states the effect of removing it, and never shows content. */
export class BadDataFile extends Error {
  override readonly name = 'BadDataFile'
}

/** Tokens by persona, as an earlier start wrote them. Throws `BadDataFile`. */
export function readTokens(file: string): Partial<Record<string, unknown>> {
  const text = readOwn(file)
  try {
    const tokens: unknown = JSON.parse(text)
    if (typeof tokens === 'object' && tokens !== null) return { ...tokens }
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
    const line = text.slice(0, Number(position ?? text.length)).split('\n').length
    throw new BadDataFile(`${file} is not JSON (line ${line}); remove it to get new tokens`)
  }
  throw new BadDataFile(`${file} is not a JSON object; remove it to get new tokens`)
}

function readOwn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadDataFile(`${file} cannot be read: ${fileProblem(error)}`, { cause: error })
  }
}

/** A secret, created once with mode 0600. */
export function loadSecret(file: string): string {
  if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('base64url'))
  return readOwn(file).trim()
}

/** Writes a file with mode 0600 atomically. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
