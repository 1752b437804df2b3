import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { findOnPath } from './find-on-path.ts'
import { stopProcesses, waitForExit } from './process-state.ts'

/** How to start a server: its program, and the file for its output. */
export interface ServerCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly log: string
  readonly env?: Readonly<Record<string, string>>
  /** Working directory. */
  readonly cwd?: string
  /** Run as this system user; effective only if this process is root. */
  readonly user?: string
  /** Signal sent to it when this process dies without clean-up (Linux). */
  readonly onParentDeath?: 'KILL' | 'INT'
}

/** A running server, addressed by its process id only. */
export interface ServerProcess {
  readonly pid: number
  /** Resolves with exit code or signal when the process has exited. */
  readonly exited: Promise<number | NodeJS.Signals>
  running(): boolean
  /** Sends a signal and waits for the exit; also to the group, for servers with children. */
  end(signal: NodeJS.Signals): Promise<void>
  /** SIGSTOP: the server stays connected and does not respond. Returns when each of its threads has stopped. */
  freeze(): void
  thaw(): void
  /** The last lines of its output. */
  output(): string
}

/** Starts a server as a child that ends with this process, however this process ends. */
export function startProcess(command: ServerCommand): ServerProcess {
  const log = openSync(command.log, 'a')
  const [program, ...args] = endsWithParent(command, command.onParentDeath ?? 'KILL')
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...command.env },
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
  })
  closeSync(log)
  child.unref()
  const pid = child.pid
  if (pid === undefined) throw new Error(`${command.program} cannot be started`)
  let ended = false
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      ended = true
      process.off('exit', killNow)
      resolve(code ?? signal ?? 0)
    })
  })
  exited.catch(() => undefined)
  const killNow = (): void => {
    if (ended) return
    child.kill('SIGCONT')
    child.kill(command.onParentDeath === 'INT' ? 'SIGINT' : 'SIGKILL')
    // The data folder must not be removed while its server writes to it.
    waitForExit([pid], 2_000)
  }
  // Before folders are removed, which its server may still write to.
  process.prependListener('exit', killNow)
  return {
    pid,
    exited,
    running: () => !ended,
    end: async (signal) => {
      if (ended) return
      child.ref()
      // SIGKILL ends a suspended process too, which must not respond once more before.
      if (signal !== 'SIGKILL') child.kill('SIGCONT')
      child.kill(signal)
      await exited
    },
    freeze: () => {
      if (!ended) stopProcesses([pid])
    },
    thaw: () => void child.kill('SIGCONT'),
    output: () => readFileSync(command.log, 'utf8').trimEnd().split('\n').slice(-20).join('\n'),
  }
}

/** Waits until `probe` returns true. Throws with the server's output if it exits early or the deadline passes. */
export async function untilReady(
  server: ServerProcess,
  probe: () => Promise<boolean>,
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!(await probe().catch(() => false))) {
    if (!server.running()) throw new Error(`server ended before it was ready:\n${server.output()}`)
    if (Date.now() > deadline) throw new Error(`server not ready after ${deadlineMs} ms:\n${server.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

/** Whether a process accepts TCP connections on the port. */
export function acceptsTcp(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/**
 * The command line of a program that receives a signal when this process dies without clean-up (Linux). setpriv sets user and signal
 * without an intermediate process, so the pid is the program's own.
 */
export function endsWithParent(
  command: Omit<ServerCommand, 'log' | 'onParentDeath'>,
  signal: string,
): [string, ...string[]] {
  const setpriv = process.platform === 'linux' ? findOnPath('setpriv') : undefined
  if (setpriv === undefined) return [command.program, ...command.args]
  const user =
    command.user === undefined
      ? []
      : [`--reuid=${command.user}`, `--regid=${command.user === 'nobody' ? 'nogroup' : command.user}`, '--clear-groups']
  return [setpriv, ...user, `--pdeathsig=${signal}`, '--', command.program, ...command.args]
}
