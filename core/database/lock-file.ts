import { linkSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** A live process holds the lock. */
export class LockedError extends Error {
  readonly pid: number
  constructor(file: string, pid: number) {
    super(`the data folder is in use by process ${pid} (${file}); stop it, or use another folder`)
    this.name = 'LockedError'
    this.pid = pid
  }
}

/** Lock files of this process, by absolute path. */
const held = new Set<string>()

/** The live process that holds a lock file, undefined without one. */
export function lockHolder(file: string): number | undefined {
  const [pid, start] = parse(contentOf(file) ?? '')
  return isAlive(pid, start) ? pid : undefined
}

/** Polling interval for a lock that another process is taking over. */
const RETRY_MS = 5
const TRIES = 200

/**
 * Takes a lock file that contains the process id, for its folder and all folders below. Replaces the lock of a dead process; throws
 * `LockedError` for that of a live one. Within a folder that this process has locked, no second file is written: one data folder has one
 * lock. The start time beside the pid distinguishes a process from a later one with the same pid (pid 1 of a container, a reboot).
 */
export function takeLock(file: string): { release(): void } {
  const path = resolve(file)
  if (held.has(path)) throw new LockedError(path, process.pid)
  const isCovered = enclosing(path).some((lock) => held.has(lock))
  const release = isCovered ? takeWithin(path) : takeFile(path)
  held.add(path)
  return {
    release: () => {
      held.delete(path)
      release()
    },
  }
}

// A process that locks only the inner folder first writes its own file and then reads the outer one: one of the two sees the other.
function takeWithin(path: string): () => void {
  refuseLive(path)
  return () => undefined
}

function takeFile(path: string): () => void {
  const mine = `${process.pid} ${startOf(process.pid)}\n`
  takeOwn(path, mine)
  const release = (): void => releaseLock(path, mine)
  try {
    for (const lock of enclosing(path)) refuseLive(lock)
    return release
  } catch (error) {
    release()
    throw error
  }
}

function takeOwn(path: string, mine: string): void {
  for (let tries = 0; tries < TRIES; tries++) {
    if (create(path, mine)) return
    const found = refuseLive(path)
    if (found !== undefined && !removeStale(path, found))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
  throw new Error(`the lock ${path} keeps changing: other processes are starting on the same folder`)
}

/** Returns the content of a lock that no live process holds, undefined without such a lock. */
function refuseLive(path: string): string | undefined {
  const found = contentOf(path)
  const [pid, start] = parse(found ?? '')
  if (isAlive(pid, start)) throw new LockedError(path, pid)
  return found
}

/** Lock files of the folders around that of `path`. */
function enclosing(path: string): string[] {
  const outer = dirname(dirname(path))
  const own = join(outer, basename(path))
  return outer === dirname(outer) ? [own] : [own, ...enclosing(own)]
}

// Written completely under another name and then linked, so that no process reads a lock without a pid.
function create(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    unlinkSync(draft)
  }
}

// Several processes may find the same dead lock. Only the holder of the takeover lock removes it, and only if it is unchanged. A slower process
// must not remove the fresh lock of a faster one. A takeover lock of a dead process is taken over in the same way.
function removeStale(file: string, found: string): boolean {
  const takeover = `${file}.takeover`
  const mine = `${process.pid} ${startOf(process.pid)}\n`
  if (!create(takeover, mine)) {
    const other = contentOf(takeover)
    return other !== undefined && !isAlive(...parse(other)) && removeStale(takeover, other)
  }
  try {
    if (contentOf(file) === found) rmSync(file, { force: true })
  } finally {
    releaseLock(takeover, mine)
  }
  return true
}

function releaseLock(file: string, mine: string): void {
  if (contentOf(file) === mine) rmSync(file, { force: true })
}

function isAlive(pid: number, start: string): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  return startOf(pid) === start
}

// Field 22 of /proc/<pid>/stat; without /proc only the pid is compared.
function startOf(pid: number): string {
  const stat = contentOf(`/proc/${pid}/stat`) ?? ''
  return stat === '' ? '-' : (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-')
}

function parse(content: string): [number, string] {
  const [pid = '', start = ''] = content.trim().split(' ')
  return [Number(pid) || 0, start]
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
