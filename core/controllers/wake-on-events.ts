import type { StoredEvent } from '#core/event-store/event.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { everyNamespace } from '#core/cluster/served-namespaces.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import type { Reconciler } from './watch/declarations.ts'

/** Follows events of these types from now on. Resolves when the signal has aborted. */
export type FollowEvents = (
  follower: {
    readonly types: readonly string[]
    handle(events: readonly StoredEvent[]): Promise<void>
    onError(error: unknown): void
  },
  signal: AbortSignal,
) => Promise<void>

/** Dependencies. */
interface WakeOptions {
  readonly events?: FollowEvents | undefined
  readonly cluster: KubeClient
  readonly served?: ServedNamespaces | undefined
  readonly log: Logger
  readonly signal: AbortSignal
}

/** How a reconciler is woken: not before its objects are listed, since an unknown object counts as deleted. */
interface Woken {
  readonly ready: Promise<void>
  wake(ref: ObjectRef): void
}

/** Wakes a reconciler on the events of its watches until the signal aborts. */
export async function wakeOnEvents(
  { events: follow, cluster, served = everyNamespace, log, signal }: WakeOptions,
  { name, watches = [] }: Reconciler,
  { ready, wake }: Woken,
): Promise<void> {
  const ofEvents = watches.flatMap((watch) => (watch.events === undefined ? [] : [watch]))
  if (follow === undefined || ofEvents.length === 0) return
  const types = [...new Set(ofEvents.flatMap(({ events }) => events.map(({ type }) => type)))]
  const handle = async (events: readonly StoredEvent[]): Promise<void> => {
    await ready
    for (const event of events)
      for (const watch of ofEvents)
        if (watch.events.some(({ type }) => type === event.type))
          for (const ref of await watch.toRefs(event, cluster)) if (served.has(ref.namespace ?? '')) wake(ref)
  }
  const onError = (error: unknown): void =>
    log.warn({ reconciler: name, ...describeError(error) }, 'events of a reconciler not mapped')
  await follow({ types, handle, onError }, signal)
}
