import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from './send.ts'

/** A request received by the API server, from its audit log. */
export interface UpstreamRequest {
  readonly user: string
  readonly verb: string
  readonly uri: string
  readonly status: number
  /** Trace of the request to mesh, or of the platform's own job, that caused the request; undefined if it belongs to none. */
  readonly traceId: string | undefined
}

/** User that runs the workloads of the cluster form; not part of the platform. */
export const MACHINE = 'machine'

// The API server sends requests to itself.
const bystanders = new Set([MACHINE, 'system:apiserver'])

/** The API server's audit log. */
export interface UpstreamLog {
  /** Requests since a mark, except the marks and those of the simulated node. Contains every request answered before this call. */
  since(mark: number): Promise<readonly UpstreamRequest[]>
  /** Returns a position to read from. */
  mark(): Promise<number>
}

interface Line {
  readonly auditID: string
  // The embedded API server writes a name, the real one an object.
  readonly user: string | { readonly username?: string }
  readonly verb: string
  readonly requestURI: string
  readonly code?: number
  readonly responseStatus?: { readonly code?: number }
}

/** Reads the audit log of either API server. `ask` sends a marker request, which is logged after all earlier ones. */
export function createUpstreamLog(file: string, ask: Send, bearer: string): UpstreamLog {
  const isMark = /^\/version\?mark=|^\/version\?mark$/
  const read = async (): Promise<readonly UpstreamRequest[]> => {
    const before = count(file)
    await ask({ path: `/version?mark=${randomUUID()}`, bearer })
    for (;;) {
      const lines = linesOf(file).map(toRequest)
      if (lines.slice(before).some(({ uri }) => isMark.test(uri))) return lines
      await pause(5)
    }
  }
  return {
    mark: async () => (await read()).length,
    since: async (mark) =>
      (await read()).slice(mark).filter(({ uri, user }) => !isMark.test(uri) && !bystanders.has(user)),
  }
}

function count(file: string): number {
  return linesOf(file).length
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

function toRequest(text: string): UpstreamRequest {
  const { auditID, user, verb, requestURI, code, responseStatus } = JSON.parse(text) as Line
  // Not authenticated: the embedded API server writes an empty name, the real one none.
  const name = typeof user === 'string' ? user : (user.username ?? '')
  const traceId = /^([0-9a-f]{32})-[0-9a-f]{16}$/.exec(auditID)?.[1]
  return { user: name, verb, uri: requestURI, status: code ?? responseStatus?.code ?? 0, traceId }
}
