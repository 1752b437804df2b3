import type { Core, CoreWith } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import { createEventFeed } from './event-feed.ts'
import type { EventFeed } from './event-feed.ts'

/** Services of the plugin's routes. */
export interface IntegrationsServices {
  readonly core: Pick<Core, 'eventRights' | 'eventTypes' | 'install' | 'log'>
  readonly store: Store
  readonly feed: EventFeed
}

/** Creates the services, without I/O. */
export function createServices(core: CoreWith<readonly ['store']>): IntegrationsServices {
  const { store } = core
  return { core, store, feed: createEventFeed(store) }
}
