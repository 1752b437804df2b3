import { everyNamespace, partsOf } from '#core/cluster/served-namespaces.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import type { RunningWork } from './informer.ts'
import { createSharedWatches } from './shared-watches.ts'
import type { SharedWatches, SharedWatchOptions } from './shared-watches.ts'
import type { FollowedStore, ObjectStores } from './watch/object-stores.ts'

/**
 * Fills the stores of a reconciler from watches. Resolves when each kind is listed, or is found to be denied or not served (CON4). Subscribe
 * these watches before the reconciler's own handlers, which read what the same change has stored.
 */
export async function followStores(
  { kinds }: ObjectStores,
  watches: SharedWatches,
  served: ServedNamespaces = everyNamespace,
): Promise<void> {
  await Promise.all(kinds.flatMap((kind) => follow(kind, watches, served)))
}

/** Fills stores that no reconciler has, until the signal aborts. */
export function runStores(stores: ObjectStores, options: SharedWatchOptions): RunningWork {
  const watches = createSharedWatches(options)
  const synced = followStores(stores, watches, options.served)
  watches.start()
  return { synced, done: watches.ended() }
}

function follow(kind: FollowedStore, watches: SharedWatches, served: ServedNamespaces): Promise<void>[] {
  const { resource, label } = kind
  const parts = partsOf(resource, served).map((namespace) => ({ namespace, ready: Promise.withResolvers<void>() }))
  const partAt = (index: number) => parts[index] ?? { namespace: undefined, ready: Promise.withResolvers<void>() }
  const ended = watches.subscribe({
    resource,
    labelSelector: label,
    handlerOf: (part) => kind.handler(partAt(part).namespace, partAt(part).ready.resolve),
    onState: (part, state) => {
      const { namespace, ready } = partAt(part)
      kind.setState(namespace, state)
      if (state === 'denied' || state === 'unserved') ready.resolve()
    },
  })
  return parts.map(({ ready }, part) => Promise.race([ready.promise, ended[part]]).then(() => undefined))
}
