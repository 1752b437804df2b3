import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from '#core/config/profile.ts'
import { freePort } from '#test/harness/free-port.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { startProcess } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import type { LoadAnswer } from '../open-loop.ts'
import { askReadiness } from '../readiness.ts'
import { until } from '../until.ts'
import { liveHeapOf } from './live-heap.ts'

/** The entry of every role. */
export const main = fileURLToPath(import.meta.resolve('../../../main.ts'))

/** A role of the platform as a process that a case kills, freezes and starts again on the same ports. */
export interface RoleProcess {
  readonly name: string
  /** Of the BFF; other roles listen nowhere. */
  readonly url: string
  readonly port: number
  readonly adminUrl: string
  readonly pid: number
  start(): void
  /** SIGKILL, or SIGTERM for an orderly end; resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  freeze(): void
  thaw(): void
  /** The cheapest request that it answers. */
  livez(): Promise<LoadAnswer>
  untilReady(): Promise<void>
  /** The file that takes what every life of it prints. */
  readonly log: string
  /** Resident memory in MiB now. */
  memory(): number
  /** MiB in use without garbage. */
  liveHeap(): Promise<number>
  /** What it printed last. */
  output(): string
}

/** Starts a role; its ports are the process's own. */
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
      args: [...heapFlags, `--inspect-port=127.0.0.1:${inspect}`, main, role],
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
