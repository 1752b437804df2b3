import type { Client } from '@modelcontextprotocol/client'
import type { McpSession, SessionTarget } from './session.ts'

/** Calls that may share a session, and the namespace to which the kept session counts. */
export interface McpSessionOwner {
  /** Equal only for the same agent, binding, server, address, credential and accepted manifest. */
  readonly key: string
  readonly namespace: string
  /** A stateful session serves one run only. Undefined: no such session is kept for the call. */
  readonly runId: string | undefined
}

/** Runs `use` in a session that was kept, or a new one. Throws `McpFailure`. */
export type WithKeptSession = <T>(
  owner: McpSessionOwner,
  target: SessionTarget,
  use: (client: Client) => Promise<T>,
) => Promise<T>

/** Sessions of one process. */
export interface KeptSessions {
  readonly run: WithKeptSession
  /** Ends all sessions; later uses keep none. */
  close(): Promise<void>
}

/** Dependencies and bounds of kept sessions; times in milliseconds of a monotonic clock. */
export interface KeptSessionsOptions {
  readonly create: () => McpSession
  /** Maximum age of a used session. 0: no session is kept. */
  readonly maxAgeMs: number
  /** Maximum number of idle sessions. */
  readonly most: number
  readonly mostPerNamespace: number
  readonly now?: () => number
}

interface Kept {
  readonly key: string
  readonly namespace: string
  /** Undefined: the session is stateless and serves every run. */
  readonly runId: string | undefined
  readonly session: McpSession
  readonly until: number
  readonly timer: NodeJS.Timeout | undefined
}

/** Creates the sessions of one process. A session has one use at a time, so limits and time-outs are those of its call. */
export function createKeptSessions(options: KeptSessionsOptions): KeptSessions {
  const { create, maxAgeMs, now = () => performance.now() } = options
  const idle = new Set<Kept>()
  let isClosed = false
  const drop = (kept: Kept): Promise<void> => {
    idle.delete(kept)
    clearTimeout(kept.timer)
    return kept.session.close()
  }
  const take = ({ key, runId }: McpSessionOwner): Kept | undefined => {
    const isUsable = (one: Kept): boolean => one.runId === undefined || one.runId === runId
    const kept = [...idle].findLast((one) => one.key === key && isUsable(one) && one.until > now())
    if (kept === undefined) return undefined
    idle.delete(kept)
    clearTimeout(kept.timer)
    return kept
  }
  const keep = async (owner: McpSessionOwner, session: McpSession, until: number): Promise<void> => {
    const { key, namespace } = owner
    const runId = session.isStateful ? owner.runId : undefined
    const isOfNoRun = session.isStateful && runId === undefined
    if (isClosed || session.isOver || isOfNoRun || until <= now()) return session.close()
    const timer = setTimeout(() => {
      drop(kept).catch(() => undefined)
    }, until - now()).unref()
    const kept: Kept = { key, namespace, runId, session, until, timer }
    idle.add(kept)
    const surplus = findSurplus(idle, options, namespace)
    if (surplus !== undefined) await drop(surplus)
  }
  const run: WithKeptSession = async (owner, target, use) => {
    const known = take(owner)
    const session = known?.session ?? create()
    const begun = now()
    const until = known?.until ?? begun + maxAgeMs
    try {
      return await session.run(target, use)
    } catch (error) {
      if (known === undefined) throw error
      // Whatever ended this session, such as a restart of the server, has ended the other sessions, too.
      for (const kept of idle) if (kept.key === owner.key) drop(kept).catch(() => undefined)
      // The protocol requires a new session if the server does not know the old one; the request was not processed.
      if (!session.isLost) throw error
      return await run(owner, { ...target, deadlineMs: Math.max(1, target.deadlineMs - (now() - begun)) }, use)
    } finally {
      keep(owner, session, until).catch(() => undefined)
    }
  }
  return {
    run,
    close: async () => {
      isClosed = true
      await Promise.all([...idle].map(drop))
    },
  }
}

// Evicts the oldest session of a namespace above its limit, else of the namespace with the most: no tenant loses sessions to another.
function findSurplus(
  idle: ReadonlySet<Kept>,
  { most, mostPerNamespace }: KeptSessionsOptions,
  namespace: string,
): Kept | undefined {
  const counts = new Map<string, number>()
  for (const one of idle) counts.set(one.namespace, (counts.get(one.namespace) ?? 0) + 1)
  const isFull = (counts.get(namespace) ?? 0) > mostPerNamespace
  if (!isFull && idle.size <= most) return undefined
  const largest = Math.max(...counts.values())
  return [...idle].find((one) => (isFull ? one.namespace === namespace : counts.get(one.namespace) === largest))
}
