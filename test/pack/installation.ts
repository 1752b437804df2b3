import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isExecutable } from '#test/harness/find-on-path.ts'
import type { Scope } from '#test/harness/scope.ts'

/** The line of `--output json`. */
export interface Ready {
  readonly url: string
  readonly kubeconfig: string
  readonly pid: number
  readonly tokens: Readonly<Record<string, string>>
}

/** A running `mesh all`. */
export interface Running {
  readonly ready: Ready
  /** The process that was started, which is not `ready.pid` when an older Node.js was. */
  readonly pid: number
  /** Sends it a signal and waits for its end: the exit code, null when the signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>
  /** A call as a persona: status and body. */
  call(as: string, path: string, body?: object): Promise<readonly [number, Record<string, unknown>]>
}

/** Installs tarballs and packages with npm in an empty folder; `args` may contain flags of npm. */
export function install(folder: string, wanted: readonly string[]): void {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  execFileSync('npm', ['install', ...flags, ...wanted], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Whose process a start is, where it is not this process's user. */
export interface StartAs {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly uid?: number
  readonly gid?: number
}

/** Starts a command in a folder and waits until it says that it is ready; whatever is left of it ends with the test. */
export async function start(
  scope: Scope,
  folder: string,
  command: readonly string[],
  user: Partial<StartAs> = {},
): Promise<Running> {
  const [program = '', ...args] = command
  // `#!/usr/bin/env node` finds this Node.js first, whatever the machine has.
  const programs = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH: programs, MESH_CONFIG: join(folder, 'mesh.yaml'), ...user.env }
  const child = spawn(program, args, { cwd: folder, ...user, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  scope.after(() => processesOf(folder).forEach((pid) => process.kill(pid, 'SIGKILL')))
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const early = ended.then(([code]) => Promise.reject(new Error(`${command.join(' ')} ended with ${code}`)))
  const [text] = await Promise.race([line, early])
  early.catch(() => undefined)
  const ready = JSON.parse(text) as Ready
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return (await ended)[0]
  }
  return { ready, pid: child.pid ?? 0, stop, call: (as, path, body) => call(ready, as, { path, body }) }
}

async function call(ready: Ready, as: string, { path, body }: { path: string; body: object | undefined }) {
  const headers = { authorization: `Bearer ${ready.tokens[as]}`, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${ready.url}${path}`, init)
  return [answer.status, (await answer.json()) as Record<string, unknown>] as const
}

/**
 * Makes a folder read-only for the user that runs it, and creates its home: an unprivileged user for root, who may write everywhere,
 * otherwise the current user. Restored with the test.
 */
export function readOnly(scope: Scope, folder: string, home: string): StartAs {
  mkdirSync(home)
  const as = { cwd: home, env: { HOME: home, XDG_CACHE_HOME: '' } }
  if (process.getuid?.() === 0) {
    chownSync(home, unprivileged, unprivileged)
    return { ...as, uid: unprivileged, gid: unprivileged }
  }
  execFileSync('chmod', ['-R', 'a-w', folder])
  scope.after(() => execFileSync('chmod', ['-R', 'u+w', folder]))
  return as
}

const unprivileged = 65_534

/** Processes that work in a folder or run a program from it. */
export function processesOf(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => pid !== process.pid && belongsTo(folder, pid))
}

function belongsTo(folder: string, pid: number): boolean {
  try {
    const running = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return running.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
  } catch {
    // It ended, or it is another user's.
    return false
  }
}

/** A Node.js on PATH that is too old to run the platform itself but starts `mesh`, or undefined. */
export function findOldNode(): string | undefined {
  const own = dirname(fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url)))
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => path !== own)
  return folders
    .map((path) => join(path, 'node'))
    .filter(isExecutable)
    .find((node) => {
      const [major = 0] = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number)
      return major >= 20 && major < 24
    })
}
