import { createTtlCache } from '#core/async/ttl-cache.ts'
import type { Store } from '#core/event-store/store.ts'
import type { ProvidersTables } from '../contract/tables.ts'
import { readGateways } from '../store/gateway-rows.ts'

/** Selects those of some gateway processes that have ended. */
export type FindGone = (names: readonly string[]) => Promise<ReadonlySet<string>>

const KEPT_MS = 10_000

/** Creates the function: signs of life are read at most every ten seconds, and again for a name that they lack. */
export function createFindGone(store: Pick<Store, 'reader'>): FindGone {
  const read = (): Promise<ReadonlyMap<string, boolean>> => readGateways(store.reader<ProvidersTables>())
  const keep = createTtlCache<ReadonlyMap<string, boolean>>(KEPT_MS)
  return async (names) => {
    const kept = await keep('', read)
    // A process writes its sign of life before its first report.
    const known = names.every((name) => kept.has(name)) ? kept : await read()
    return new Set(names.filter((name) => known.get(name) !== false))
  }
}
