import type { Metrics } from '#core/telemetry/metrics.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { httpMetrics } from './metrics.ts'
import { createRefuse } from './refusal.ts'

/** Open event streams of a server: enforces the limits (X1), and ends each stream with a retry hint during a drain (X6). */
export interface StreamRegistry {
  readonly draining: boolean
  readonly size: number
  /**
   * Registers a stream of a user or, on a public route, of an address. Returns an error if the replica or the user has too many. Call the
   * result when it ends.
   */
  enter(user: string, end: () => void): (() => void) | Fail
  /** Counts a stream that the server closed. */
  dropped(reason: 'behind' | 'revoked' | 'failed'): void
  /** Ends every stream and refuses new ones. */
  drain(): void
}

/** Limits of a replica and of one user. */
export interface StreamCaps {
  readonly total: number
  readonly perUser: number
}

/** Creates the registry of one server. */
export function createStreamRegistry(caps: StreamCaps, metrics?: Metrics): StreamRegistry {
  const opened = metrics?.gauge(httpMetrics.streamsOpen)
  const dropped = metrics?.counter(httpMetrics.streamsDropped)
  const open = new Set<() => void>()
  const perUser = new Map<string, number>()
  const refuse = createRefuse(metrics)
  const tooMany = (limit: 'streams' | 'streamsPerUser', value: number): Fail => {
    dropped?.inc({ reason: 'refused' })
    return refuse(limit, value, 5)
  }
  let draining = false
  const leave = (user: string, end: () => void): void => {
    if (!open.delete(end)) return
    opened?.add(-1)
    const left = (perUser.get(user) ?? 1) - 1
    if (left > 0) perUser.set(user, left)
    else perUser.delete(user)
  }
  return {
    get draining() {
      return draining
    },
    get size() {
      return open.size
    },
    enter: (user, end) => {
      const mine = perUser.get(user) ?? 0
      if (draining) return new Fail('draining')
      if (mine >= caps.perUser) return tooMany('streamsPerUser', caps.perUser)
      if (open.size >= caps.total) return tooMany('streams', caps.total)
      open.add(end)
      opened?.add(1)
      perUser.set(user, mine + 1)
      return () => leave(user, end)
    },
    dropped: (reason) => dropped?.inc({ reason }),
    drain: () => {
      draining = true
      for (const end of open) end()
    },
  }
}
