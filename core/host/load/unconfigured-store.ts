import type { Kysely } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'

/** What an unwired plugin gets for a store, so that `create` need not care: whoever uses it gets `not_wired`. */
export const absentStore: Store = {
  // Kept by many a `create`; only a query on it fails.
  reader: <Tables>() => absent<Kysely<Tables>>(),
  transact: async () => refuse(),
  readStream: async () => refuse(),
  appends: () => refuse(),
  newestPosition: async () => refuse(),
  epoch: async () => refuse(),
  check: async () => refuse(),
  close: async () => undefined,
}

/** As `absentStore`, for the API of a need that is not there. */
export function absentApi(): object {
  return absent<object>()
}

// Whatever is asked of it is a function that refuses; `then` is not, so that it can be awaited.
function absent<T extends object>(): T {
  return new Proxy<T>(Object.create(null), { get: (_target, key) => (key === 'then' ? undefined : refuse) })
}

function refuse(): never {
  throw new Fail('not_wired')
}
