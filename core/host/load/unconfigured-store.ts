import { Fail } from '#core/errors/domain-error.ts'
import type { Reader, Store } from '#core/event-store/store.ts'

/** Store of an unwired plugin, so that `create` needs no special case. Its use throws `not_wired`. */
export const absentStore: Store = {
  // Often created in `create`, so only a query on it throws.
  reader: <Tables>() => absent<Reader<Tables>>(),
  transact: async () => refuse(),
  readStream: async () => refuse(),
  appends: () => refuse(),
  newestPosition: async () => refuse(),
  epoch: async () => refuse(),
  check: async () => refuse(),
  close: async () => undefined,
}

/** Like `absentStore`, for the API and the system reads of a plugin that is not available. Their use throws `not_wired` with its reason. */
export function absentApi(plugin: string, because = 'not configured'): object {
  return absent<object>(`The plugin ${plugin} is not available: ${because}.`)
}

// Every property is a function that throws, except `then`, so that the object can be awaited.
function absent<T extends object>(detail?: string): T {
  return new Proxy<T>(Object.create(null), {
    get: (_target, key) => (key === 'then' ? undefined : () => refuse(detail)),
  })
}

function refuse(detail?: string): never {
  throw new Fail('not_wired', detail)
}
