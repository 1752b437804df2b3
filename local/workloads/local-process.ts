import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:https'
import type { Readable, Writable } from 'node:stream'
import type { ContainerLog } from './log-file.ts'

/** A launcher as a local process. */
export interface LocalProcess {
  readonly pid: number | undefined
  /** The exit code as in a shell: 128 + signal number for a signal, 127 if the program could not be started. */
  readonly exited: Promise<number>
  /** Sends TERM; after the grace period closes the parent pipe and sends KILL. Resolves when the process has ended. */
  stop(graceMs: number): Promise<void>
}

/** Program of a launcher. */
export interface ProcessOptions {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly log: ContainerLog
  /** Receives the agent's output from descriptor 4. */
  readonly agentLog?: ContainerLog
}

/** The launcher's descriptor for the output of its agent. */
export const AGENT_OUTPUT_FD = 4

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
}

/** Starts a launcher. File descriptor 3 is the parent pipe: when this process ends, even by kill -9, the launcher ends. */
export function startProcess(options: ProcessOptions): LocalProcess {
  const [program = '', ...args] = options.command
  const child = spawn(program, args, {
    env: { ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', options.agentLog === undefined ? 'ignore' : 'pipe'],
    // A separate process group: Ctrl-C reaches this process only, which stops the launchers in order.
    detached: true,
  })
  child.stdout?.on('data', (chunk: Buffer) => options.log.write(chunk))
  child.stderr?.on('data', (chunk: Buffer) => options.log.write(chunk))
  const agentOutput = child.stdio[AGENT_OUTPUT_FD] as Readable | null
  agentOutput?.on('data', (chunk: Buffer) => options.agentLog?.write(chunk))
  agentOutput?.on('error', () => undefined)
  const parentPipe = child.stdio[3] as Writable | null
  parentPipe?.on('error', () => undefined)
  const exited = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      options.log.write(Buffer.from(`${error.message}\n`))
      resolve(127)
    })
    // `close`, not `exit`: all output has been read.
    child.once('close', (code, signal) => resolve(code ?? 128 + (signalNumbers[signal ?? ''] ?? 0)))
  }).finally(() => {
    options.log.end()
    options.agentLog?.end()
  })
  return {
    pid: child.pid,
    exited,
    stop: async (graceMs) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timers = [
        setTimeout(() => parentPipe?.end(), graceMs),
        setTimeout(() => child.kill('SIGKILL'), graceMs + 1_000),
      ]
      await exited
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

// A connection per probe, as the kubelet does, but a resumed TLS session: a handshake costs both sides most of a probe.
const probes = new Agent({ keepAlive: false, maxCachedSessions: 1_000 })

/** True if a launcher reports that it is ready. */
export async function isHealthy(port: number): Promise<boolean> {
  try {
    // As in the kubelet, the certificate is not verified: only this pod's readiness depends on the response.
    const request = get({
      host: '127.0.0.1',
      port,
      path: '/healthz',
      agent: probes,
      timeout: 2_000,
      rejectUnauthorized: false,
    })
    request.once('timeout', () => request.destroy(new Error('timeout')))
    const [response] = await once(request, 'response')
    response.resume()
    return response.statusCode === 200
  } catch {
    return false
  }
}
