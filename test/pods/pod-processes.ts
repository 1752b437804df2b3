import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'

/** Sends a signal to the processes of a pod on this machine whose command line begins with `first` and contains `part`. */
export function signalProcesses(podUid: string, { first, part }: ProcessPattern, signal: NodeJS.Signals): void {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOfPod(name, podUid))
  const found = pids.filter((pid) => {
    const command = read(`/proc/${pid}/cmdline`)
    return command.startsWith(`${first}\0`) && command.includes(part)
  })
  assert.ok(found.length > 0, `${first} with ${part} runs on this machine`)
  for (const pid of found) process.kill(Number(pid), signal)
}

/** Selects processes: path of the program, and a part of the command line. */
export interface ProcessPattern {
  readonly first: string
  readonly part: string
}

/** The Node.js process of a launcher, whose end is that of a crash. */
export const launcherProcess: ProcessPattern = { first: '/mesh/node', part: 'launcher.mjs' }

function isOfPod(pid: string, podUid: string): boolean {
  return read(`/proc/${pid}/cgroup`).replaceAll('_', '-').includes(podUid)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // the process has exited meanwhile
  }
}
