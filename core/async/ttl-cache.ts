/** Remembers what `load` returned for a key. */
export type TtlCache<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>

const MAX_ENTRIES = 10_000

/** Creates a cache: concurrent readers of a key share one load, and a failed load is not remembered. `now` is monotonic. */
export function createTtlCache<Value>(ttlMs: number, now: () => number = () => performance.now()): TtlCache<Value> {
  const entries = new Map<string, { readonly until: number; readonly value: Promise<Value> }>()
  return (key, load) => {
    const known = entries.get(key)
    if (known !== undefined && known.until > now()) return known.value
    const value = load()
    const entry = { until: now() + ttlMs, value }
    entries.delete(key)
    entries.set(key, entry)
    const [oldest] = entries.keys()
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
    value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key)
    })
    return value
  }
}
