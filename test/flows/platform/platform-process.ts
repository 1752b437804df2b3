import type { ServerProcess } from '../../harness/server-process.ts'

/** A process of the platform, as used by tests. */
export interface PlatformProcess {
  readonly pid: number
  readonly adminUrl: string
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>
  signal(signal: NodeJS.Signals): void
  output(): string
}

/** Wraps a process for tests. */
export function toPlatformProcess(server: ServerProcess, adminUrl: string): PlatformProcess {
  return {
    pid: server.pid,
    adminUrl,
    exited: server.exited,
    signal: (signal) => void process.kill(server.pid, signal),
    output: server.output,
  }
}
