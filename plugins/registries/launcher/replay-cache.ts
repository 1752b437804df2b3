/** Ids of accepted envelopes until they have expired. */
export interface ReplayCache {
  /** Records an id: `new`; `seen` if it was recorded before; `full` if the caller or all callers have too many ids. */
  note(caller: string, id: string, expiresAtMs: number): 'new' | 'seen' | 'full'
}

const defaults = { perCaller: 10_000, total: 50_000 }

/**
 * Limited per caller, so that a flood is refused and takes no space of other callers. No id is dropped before it has expired: its envelope would be
 * accepted again.
 */
export function createReplayCache(now: () => number, bounds = defaults): ReplayCache {
  const callers = new Map<string, Map<string, number>>()
  let total = 0
  const sweep = (): void => {
    const time = now()
    for (const [caller, ids] of callers) {
      for (const [id, expiresAt] of ids) {
        // All envelopes have the same lifetime, so the rest is newer.
        if (expiresAt > time) break
        ids.delete(id)
        total--
      }
      if (ids.size === 0) callers.delete(caller)
    }
  }
  return {
    note(caller, id, expiresAtMs) {
      const ids = callers.get(caller) ?? new Map<string, number>()
      if (ids.has(id)) return 'seen'
      if (ids.size >= bounds.perCaller || total >= bounds.total) sweep()
      if (ids.size >= bounds.perCaller || total >= bounds.total) return 'full'
      ids.set(id, expiresAtMs)
      callers.set(caller, ids)
      total++
      return 'new'
    },
  }
}
