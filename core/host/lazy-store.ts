import type { Store } from '#core/store/store.ts'

/**
 * A store that is made at its first use. Plugins get it in `create`, which does no I/O, while the projections that it needs are known
 * only when every plugin is created. Its database is shared, so closing it closes nothing.
 */
export function lazyStore(make: () => Store): Store {
  let made: Store | undefined
  const store = (): Store => (made ??= make())
  return {
    reader: <Tables>() => store().reader<Tables>(),
    transact: (fn) => store().transact(fn),
    readStream: (stream, after) => store().readStream(stream, after),
    readEvents: (access, after, limit) => store().readEvents(access, after, limit),
    epoch: () => store().epoch(),
    check: () => store().check(),
    close: async () => undefined,
  }
}
