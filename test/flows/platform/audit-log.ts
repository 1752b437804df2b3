import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from './send.ts'

/** One request that reached the API server, as its own audit log has it. */
export interface UpstreamRequest {
  readonly user: string
  readonly verb: string
  readonly uri: string
  readonly status: number
}

/** The user that runs the workloads of the cluster form: no part of the platform. */
export const MACHINE = 'machine'

// The API server asks itself now and then.
const bystanders = new Set([MACHINE, 'system:apiserver'])

/** The API server's audit log. */
export interface UpstreamLog {
  /** What was asked since a mark, but for the marks and what this machine's stand-in for a node asks; everything that was answered before this call is in it. */
  since(mark: number): Promise<readonly UpstreamRequest[]>
  /** A position to look from. */
  mark(): Promise<number>
}

interface Line {
  // The embedded API server writes a name, the real one an object.
  readonly user: string | { readonly username?: string }
  readonly verb: string
  readonly requestURI: string
  readonly code?: number
  readonly responseStatus?: { readonly code?: number }
}

/** Reads the log of either API server. `ask` sends a request of no meaning, which shows up after all that was before it. */
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
  const { user, verb, requestURI, code, responseStatus } = JSON.parse(text) as Line
  // Not authenticated: the embedded API server writes an empty name, the real one none.
  const name = typeof user === 'string' ? user : (user.username ?? '')
  return { user: name, verb, uri: requestURI, status: code ?? responseStatus?.code ?? 0 }
}
