import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'

/** A live process holds the lock. */
export class LockedError extends Error {
  readonly pid: number
  constructor(file: string, pid: number) {
    super(`the data folder is in use by process ${pid} (${file}); stop it, or use another folder`)
    this.name = 'LockedError'
    this.pid = pid
  }
}

/**
 * Takes a lock file that contains the process id. Replaces the lock of a dead process; throws `LockedError` for that of a live one. The
 * start time beside the pid distinguishes a process from a later one with the same pid (pid 1 of a container, a reboot).
 */
export function takeLock(file: string): { release(): void } {
  const mine = `${process.pid} ${startOf(process.pid)}\n`
  for (let tries = 0; tries < 5; tries++) {
    if (create(file, mine)) return { release: () => releaseLock(file, mine) }
    const found = readOr(file, '')
    const [pid = 0, start = ''] = parse(found)
    if (found !== '' && isAlive(pid, start)) throw new LockedError(file, pid)
    removeStale(file, found)
  }
  throw new Error(`the lock ${file} keeps changing: other processes are starting on the same folder`)
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

// Two processes may find the same dead lock; the slower one must not remove the fresh lock of the faster one.
function removeStale(file: string, found: string): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if (readOr(aside, found) !== found) linkSync(aside, file)
  rmSync(aside, { force: true })
}

function releaseLock(file: string, mine: string): void {
  if (readOr(file, '') === mine) rmSync(file, { force: true })
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
  const stat = readOr(`/proc/${pid}/stat`, '')
  return stat === '' ? '-' : (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-')
}

function parse(content: string): [number, string] {
  const [pid = '', start = ''] = content.trim().split(' ')
  return [Number(pid) || 0, start]
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
