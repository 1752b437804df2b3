import type { ServerProcess } from '../../harness/server-process.ts'

/** What a test can do with a process of the platform. */
export interface PlatformProcess {
  readonly pid: number
  readonly adminUrl: string
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>
  signal(signal: NodeJS.Signals): void
  output(): string
}

/** What a test sees of a process. */
export function toPlatformProcess(server: ServerProcess, adminUrl: string): PlatformProcess {
  return {
    pid: server.pid,
    adminUrl,
    exited: server.exited,
    signal: (signal) => void process.kill(server.pid, signal),
    output: server.output,
  }
}
