import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const EVERY_MS = 500
// Room for npm, a shell, `mesh` of a checkout, and processes that a script adds.
const MAX_ANCESTORS = 8

interface ProcessRow {
  readonly parent: number
  readonly command: string
  readonly isZombie: boolean
}

/**
 * Calls `onEnd` once if npm started this process and npm, or a process between them, has ended. npm passes signals to its shell only, and
 * cannot pass on SIGKILL: the platform would continue without a terminal. Returns a function that ends the watch.
 */
export function followNpm(env: Readonly<Record<string, string | undefined>>, onEnd: () => void): () => void {
  // Set for everything that npm runs, and inherited.
  const ancestors = env['npm_command'] === undefined ? undefined : ancestorsUpToNpm()
  if (ancestors === undefined) return () => undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent && ancestors.every(isAlive)) return
    clearInterval(timer)
    onEnd()
  }, EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Returns the process ids above this one, npm last, or undefined if npm is not among them: a service manager may pass on its variables. */
function ancestorsUpToNpm(): readonly number[] | undefined {
  const found: number[] = []
  for (let pid = process.ppid; pid > 1 && found.length < MAX_ANCESTORS;) {
    const row = readProcess(pid)
    if (row === undefined) return undefined
    found.push(pid)
    if (isNpm(row.command)) return found
    pid = row.parent
  }
  return undefined
}

// npm sets its title: `npm exec mesh all`, `npm start`.
function isNpm(command: string): boolean {
  return /^(?:npm|npx)(?: |$)|[\\/](?:npm|npx)(?:-cli\.js)?(?: |$)/.test(command)
}

function isAlive(pid: number): boolean {
  if (existsSync('/proc/self/stat')) return readProc(pid)?.isZombie === false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readProcess(pid: number): ProcessRow | undefined {
  return existsSync('/proc/self/stat') ? readProc(pid) : readPs(pid)
}

// proc(5): `pid (comm) state ppid ...`; comm may contain any character.
function readProc(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { parent: Number(parent), command, isZombie: state === 'Z' || state === 'X' }
  } catch {
    return undefined
  }
}

function readPs(pid: number): ProcessRow | undefined {
  const { stdout, status } = spawnSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })
  const [, parent, command = ''] = /^ *(\d+) (.*)$/.exec(status === 0 ? stdout.trimEnd() : '') ?? []
  return parent === undefined ? undefined : { parent: Number(parent), command: command.trim(), isZombie: false }
}
