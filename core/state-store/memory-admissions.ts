import { CONCURRENCY_RETRY_MS, RATE_BUCKETS } from './state-store.ts'
import type { AdmissionOutcome, Admissions, LeaseLimit, RateWindow } from './state-store.ts'

/** Count of one bucket of a rate by its start. */
type Buckets = Map<number, number>

/** Expiry of leases by id. */
type Leases = Map<string, number>

const SWEEP_EVERY = 1_000

/** Creates rates and leases in this process. `now` is monotonic. */
export function createMemoryAdmissions(now: () => number): Admissions {
  const rates = new Map<string, { buckets: Buckets; windowMs: number }>()
  const leases = new Map<string, Leases>()
  let calls = 0

  const keyOf = (group: string, key: string): string => JSON.stringify([group, key])
  const liveLeases = (key: string): Leases => {
    const held = leases.get(key) ?? new Map<string, number>()
    for (const [id, expiresAt] of held) if (expiresAt <= now()) held.delete(id)
    if (held.size === 0) leases.delete(key)
    return held
  }
  const liveBuckets = (key: string, windowMs: number): Buckets => {
    const { buckets } = rates.get(key) ?? { buckets: new Map<number, number>() }
    for (const start of buckets.keys()) if (start + bucketOf(windowMs) <= now() - windowMs) buckets.delete(start)
    if (buckets.size === 0) rates.delete(key)
    return buckets
  }
  const sweep = (): void => {
    if (++calls % SWEEP_EVERY !== 0) return
    for (const key of leases.keys()) liveLeases(key)
    for (const [key, { windowMs }] of rates) liveBuckets(key, windowMs)
  }
  const rateRefusal = (group: string, { key, limit, windowMs }: RateWindow): AdmissionOutcome | undefined => {
    const buckets = liveBuckets(keyOf(group, key), windowMs)
    if (sumOf(buckets) < limit) return undefined
    return { admitted: false, kind: 'rate', key, retryAfterMs: retryOf(buckets, { limit, windowMs }, now()) }
  }
  const leaseRefusal = (group: string, id: string, { key, limit }: LeaseLimit): AdmissionOutcome | undefined => {
    const held = liveLeases(keyOf(group, key))
    if (held.has(id) || held.size < limit) return undefined
    const first = held.size === 0 ? 0 : Math.min(...held.values()) - now()
    const retryAfterMs = Math.max(1, Math.min(CONCURRENCY_RETRY_MS, Math.floor(first)))
    return { admitted: false, kind: 'concurrency', key, retryAfterMs }
  }

  return {
    acquire: async ({ group, id, rates: limits = [], leases: places = [] }) => {
      sweep()
      const isLive = places.length > 0 && places.every(({ key }) => liveLeases(keyOf(group, key)).has(id))
      if (!isLive) {
        for (const limit of limits) {
          const refusal = rateRefusal(group, limit)
          if (refusal !== undefined) return refusal
        }
        for (const place of places) {
          const refusal = leaseRefusal(group, id, place)
          if (refusal !== undefined) return refusal
        }
        for (const { key, windowMs } of limits) {
          const name = keyOf(group, key)
          const start = now() - (now() % bucketOf(windowMs))
          const buckets = liveBuckets(name, windowMs)
          rates.set(name, { buckets: buckets.set(start, (buckets.get(start) ?? 0) + 1), windowMs })
        }
      }
      for (const { key, ttlMs } of places) {
        const name = keyOf(group, key)
        leases.set(name, liveLeases(name).set(id, now() + ttlMs))
      }
      return { admitted: true }
    },
    renew: async ({ group, id, keys, ttlMs }) => {
      const held = keys.map((key) => liveLeases(keyOf(group, key)))
      if (held.length === 0 || !held.every((one) => one.has(id))) return false
      for (const one of held) one.set(id, now() + ttlMs)
      return true
    },
    release: async ({ group, id, keys }) =>
      keys.map((key) => liveLeases(keyOf(group, key)).delete(id)).some((freed) => freed),
    usage: async ({ group, rates: windows = [], leases: keys = [] }) => ({
      rates: Object.fromEntries(
        windows.map(({ key, windowMs }) => [key, sumOf(liveBuckets(keyOf(group, key), windowMs))]),
      ),
      leases: Object.fromEntries(keys.map((key) => [key, liveLeases(keyOf(group, key)).size])),
    }),
  }
}

function bucketOf(windowMs: number): number {
  return Math.ceil(windowMs / RATE_BUCKETS)
}

function sumOf(buckets: Buckets): number {
  return buckets.values().reduce((sum, count) => sum + count, 0)
}

// The time after which enough of the oldest buckets have left the window.
function retryOf(buckets: Buckets, { limit, windowMs }: Omit<RateWindow, 'key'>, now: number): number {
  let left = sumOf(buckets)
  let retry = 1
  for (const [start, count] of [...buckets].toSorted(([a], [b]) => a - b)) {
    if (left < limit) break
    left -= count
    retry = start + bucketOf(windowMs) + windowMs - now
  }
  return Math.max(1, Math.ceil(retry))
}
