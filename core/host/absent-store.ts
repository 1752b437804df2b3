import { Fail } from '#core/http/errors.ts'
import type { Store } from '#core/store/store.ts'

/** What an unwired plugin gets for a store, so that `create` need not care: whoever uses it gets `not_wired`. */
export const absentStore: Store = {
  reader: () => refuse(),
  transact: async () => refuse(),
  readStream: async () => refuse(),
  readEvents: async () => refuse(),
  epoch: async () => refuse(),
  check: async () => refuse(),
  close: async () => undefined,
}

/** As `absentStore`, for the API of a need that is not there. */
export function absentApi(): object {
  return new Proxy({}, { get: (_target, key) => (key === 'then' ? undefined : refuse) })
}

function refuse(): never {
  throw new Fail('not_wired')
}
