import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

/** Stops processes with SIGSTOP. Returns when no thread of them runs: the kernel stops each thread at its next scheduling, after `kill`. */
export function stopProcesses(pids: readonly number[]): void {
  for (const pid of pids) signal(pid, 'SIGSTOP')
  if (!waitUntil(() => pids.every(isStopped), 10_000)) throw new Error(`processes ${pids.join(' ')} did not stop`)
}

/** Sends a signal; a process that has exited is ignored. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return listed.stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
}

/** Waits until the processes have exited, and blocks this thread: exit handlers are synchronous. Returns false at the deadline. */
export function waitForExit(pids: readonly number[], deadlineMs: number): boolean {
  return waitUntil(() => pids.every((pid) => !isAlive(pid)), deadlineMs)
}

function waitUntil(condition: () => boolean, deadlineMs: number): boolean {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const deadline = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    Atomics.wait(cell, 0, 0, 2)
  }
  return true
}

// Linux lists an exited process that was not yet waited for as Z.
function isAlive(pid: number): boolean {
  return !threadStates(pid).every((state) => 'ZX'.includes(state))
}

function isStopped(pid: number): boolean {
  return threadStates(pid).every((state) => 'TZX'.includes(state))
}

/** State of each thread (`T` is stopped, `Z` exited), of the process alone without /proc; none if it has exited. */
export function threadStates(pid: number): string[] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.trim() === '' ? [] : [stdout.trim().charAt(0)]
  }
  return threads(pid).flatMap((thread) => {
    try {
      // The name before it, in parentheses, can contain any character.
      const [, state = ''] = /.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')) ?? []
      return [state]
    } catch {
      return [] // It ended after the listing.
    }
  })
}

function threads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}
