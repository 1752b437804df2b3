import type { KubeClient, Resource } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { everyNamespace, partsOf } from '#core/cluster/served-namespaces.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createShared } from './informer.ts'
import type { NamespaceAbsence } from './watch/namespace-absence.ts'
import { reflect } from './watch/reflector.ts'
import type { ReflectorHandler } from './watch/reflector.ts'
import { selectingClient } from './watch/selecting-client.ts'
import { createWatchStates } from './watch/watch-states.ts'
import type { WatchState, WatchStates } from './watch/watch-states.ts'

/** Options of all watches of a process. */
export interface SharedWatchOptions {
  readonly cluster: KubeClient
  /** Default: every namespace, as one. */
  readonly served?: ServedNamespaces
  readonly states?: WatchStates
  readonly log: Logger
  readonly signal: AbortSignal
  readonly metrics?: Metrics
  readonly watchSeconds?: number
  /** Default: asks for the Namespace by name, which needs the right to list it. */
  readonly absence?: NamespaceAbsence
}

/** One subscriber of a watch. */
export interface WatchSubscription {
  readonly resource: Resource
  readonly labelSelector?: string | undefined
  /** Handler of a part: of one served namespace, or of all as one. */
  handlerOf(part: number): ReflectorHandler
  onState?(part: number, state: WatchState): void
}

/** Watches of resources, one per resource, selector and part, however many subscribers it has (ADR 0050). */
export interface SharedWatches {
  /** Adds a subscriber before `start`. Resolves, per part, when the watch has ended. */
  subscribe(subscription: WatchSubscription): readonly Promise<void>[]
  start(): void
  /** Resolves when every watch has ended, after the signal. */
  ended(): Promise<void>
}

interface Group {
  readonly subscribers: WatchSubscription[]
  readonly ended: readonly PromiseWithResolvers<void>[]
}

/** Creates the watches that the reconcilers of a process share. */
export function createSharedWatches(options: SharedWatchOptions): SharedWatches {
  const { lists, absence } = createShared(options.cluster)
  const shared = { lists, absence: options.absence ?? absence }
  const states = options.states ?? createWatchStates(options)
  const groups = new Map<string, Group>()
  const run = ({ subscribers, ended }: Group): void => {
    const [first] = subscribers
    if (first === undefined) return
    const { resource, labelSelector } = first
    const cluster = labelSelector === undefined ? options.cluster : selectingClient(options.cluster, labelSelector)
    const parts = partsOf(resource, options.served ?? everyNamespace)
    for (const [part, { resolve, reject }] of ended.entries()) {
      const namespace = parts[part]
      const setState = states.add({ resource, namespace: namespace ?? '' })
      reflect({
        ...options,
        cluster,
        resource,
        handler: combine(subscribers.map((one) => one.handlerOf(part))),
        part: namespace === undefined ? undefined : { namespace, of: parts.length, ...shared },
        onState: (state, refusal) => {
          setState(state, refusal)
          for (const one of subscribers) one.onState?.(part, state)
        },
      }).then(resolve, reject)
    }
  }
  return {
    subscribe: (subscription) => {
      const { resource, labelSelector = '' } = subscription
      const key = `${resource.group}/${resource.plural}?${labelSelector}`
      const group = groups.get(key) ?? {
        subscribers: [],
        ended: partsOf(resource, options.served ?? everyNamespace).map(() => Promise.withResolvers<void>()),
      }
      groups.set(key, group)
      group.subscribers.push(subscription)
      return group.ended.map(({ promise }) => promise)
    },
    start: () => {
      for (const group of groups.values()) run(group)
    },
    ended: async () => {
      await Promise.all([...groups.values()].flatMap((group) => group.ended.map(({ promise }) => promise)))
    },
  }
}

// A call that fails is repeated for all handlers, which ignore what they know already.
function combine(handlers: readonly ReflectorHandler[]): ReflectorHandler {
  const all = async (call: (handler: ReflectorHandler) => Promise<void>): Promise<void> => {
    const settled = await Promise.allSettled(handlers.map(call))
    for (const one of settled) if (one.status === 'rejected') throw one.reason
  }
  return {
    listing: (reason, since) => all((handler) => handler.listing(reason, since)),
    page: (objects) => all((handler) => handler.page(objects)),
    listed: (resourceVersion) => all((handler) => handler.listed(resourceVersion)),
    changed: (changes, through) => all((handler) => handler.changed(changes, through)),
  }
}
