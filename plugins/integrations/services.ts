import type { Core } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import { createEventFeed } from './event-feed.ts'
import type { EventFeed } from './event-feed.ts'

/** What the routes of the plugin need. */
export interface IntegrationsServices {
  readonly core: Pick<Core, 'eventTypes' | 'install' | 'log'>
  readonly store: Store
  readonly feed: EventFeed
}

/** Creates the services; no I/O. */
export function createServices(core: Core): IntegrationsServices {
  const { store } = core
  if (!store) throw new TypeError('events are stored: the plugin is wired only with a store')
  return { core, store, feed: createEventFeed(store) }
}
