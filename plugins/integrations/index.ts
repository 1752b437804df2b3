import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { createServices } from './services.ts'
import { streamEvents } from './stream-events.ts'

/** Domain events for other systems: the event feed. */
export const integrations = definePlugin({
  contract: 1,
  name: 'integrations',
  summary: 'Domain events for other systems: the event feed.',
  settings: Type.Object({}, { additionalProperties: false }),
  requires: ['store'],
  access: [{ resource: 'events', kind: 'Event', developer: ['watch'] }],
  create: createServices,
  // A part, so that a console knows whether it may follow events or has to poll.
  routes: (services) => [{ capability: 'integrations.events', wiring: 'ready', endpoints: [streamEvents(services)] }],
})
