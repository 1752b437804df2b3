import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '#core/config/profile.ts'
import { freePort } from '#test/harness/free-port.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { mainProgram } from '#test/harness/program.ts'
import { startProcess } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import type { LoadAnswer } from '../open-loop.ts'
import { askReadiness } from '../readiness.ts'
import { until } from '../until.ts'
import { liveHeapOf } from './live-heap.ts'

/** A role as a process that a case kills, suspends and restarts on the same ports. */
export interface RoleProcess {
  readonly name: string
  /** The BFF's URL; other roles have no public listener. */
  readonly url: string
  readonly port: number
  readonly adminUrl: string
  readonly pid: number
  start(): void
  /** Sends the signal. Resolves when the process has exited. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  freeze(): void
  thaw(): void
  /** The cheapest request of the role. */
  livez(): Promise<LoadAnswer>
  untilReady(): Promise<void>
  /** Log file of the process, kept across restarts. */
  readonly log: string
  /** Resident memory in MiB. */
  memory(): number
  /** Memory in use after a garbage collection, in MiB. */
  liveHeap(): Promise<number>
  /** The last output. */
  output(): string
}

/** Starts its own role on ports. */
export async function startRole(
  name: string,
  role: Role,
  parts: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<RoleProcess> {
  const [port, admin, inspect] = [await freePort(), await freePort(), await freePort()]
  const adminUrl = `http://127.0.0.1:${admin}`
  const log = join(parts.folder, `${name}.log`)
  const run = (): ServerProcess =>
    startProcess({
      program: process.execPath,
      args: [...heapFlags, `--inspect-port=127.0.0.1:${inspect}`, mainProgram, role],
      log,
      env: { ...parts.env, MESH_BFF_PORT: String(port), MESH_ADMIN_PORT: String(admin) },
    })
  let server = run()
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    port,
    adminUrl,
    log,
    get pid() {
      return server.pid
    },
    start: () => void (server = run()),
    end: (signal) => server.end(signal),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    livez: async () => {
      const answer = await fetch(`${adminUrl}/livez`)
      await answer.text()
      return { status: answer.status, headers: {} }
    },
    untilReady: async () => {
      await until(`${name} is ready`, async () => (await askReadiness(adminUrl)) === 'ready').catch(
        (error: unknown) => {
          throw new Error(`${name} is not ready: ${server.output()}`, { cause: error })
        },
      )
    },
    memory: () => memoryOf(server.pid),
    liveHeap: () => liveHeapOf(server.pid, inspect),
    output: () => server.output(),
  }
}

function memoryOf(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1_024
}
