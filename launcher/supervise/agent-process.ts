import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { listDescendants } from './descendants.ts'
import { startProcessGroupGuard } from './process-group-guard.ts'

/** Command of the agent's process. */
export interface AgentCommand {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Descriptor for the agent's output; undefined: inherited from this process. */
  readonly outputFd?: number | undefined
}

/** The agent's process, in its own process group: a signal to the launcher's group does not reach it (P2). */
export interface AgentProcess {
  readonly pid: number | undefined
  /** The exit code, 128 + signal, or 126 and 127 as in a shell if the program cannot be started. */
  readonly exited: Promise<number>
  running(): boolean
  /** Signals the process group; false if it has ended. */
  signal(signal: NodeJS.Signals): boolean
  /** Sends TERM, and KILL after the grace period. Resolves with the exit code when the process and its descendants have ended. */
  end(graceMs: number): Promise<number>
}

const guardMs = 300
/** Variable that marks all processes started by an agent, in whatever group or session. */
const markName = 'MESH_AGENT_PROCESS'

/** Starts the agent. */
export function startAgentProcess({ command, env, outputFd }: AgentCommand): AgentProcess {
  const [program = '', ...args] = command
  const mark = `${markName}=${randomUUID()}`
  const guard = startProcessGroupGuard(mark)
  const child = spawn(program, args, {
    env: { ...env, [markName]: mark.slice(markName.length + 1) },
    stdio: ['ignore', outputFd ?? 'inherit', outputFd ?? 'inherit'],
    detached: true,
  })
  let running = child.pid !== undefined
  if (child.pid === undefined) guard.endGroup()
  else guard.watch(child.pid)
  const exited = exitOf(child).then((code) => {
    running = false
    // Remaining processes of the group are killed, as when a container stops.
    guard.endGroup()
    return code
  })
  const signal = (name: NodeJS.Signals): boolean => {
    if (!running || child.pid === undefined) return false
    try {
      return process.kill(-child.pid, name)
    } catch {
      return false
    }
  }
  return {
    pid: child.pid,
    exited,
    running: () => running,
    signal,
    async end(graceMs) {
      const below = running && child.pid !== undefined ? listDescendants(child.pid) : undefined
      signal('SIGTERM')
      // First the guard's kill, which reaches processes in other groups.
      const timers = [
        setTimeout(() => guard.endGroup(), graceMs),
        setTimeout(() => signal('SIGKILL'), graceMs + guardMs),
      ]
      const code = await exited
      timers.forEach(clearTimeout)
      below?.kill()
      await guard.ended
      return code
    },
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve(error.code === 'ENOENT' ? 127 : 126)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
