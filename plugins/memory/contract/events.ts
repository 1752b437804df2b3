import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

/** An agent stored an item of long-term memory. Appends to session memory are not events: there may be thousands per second. */
export const itemRemembered = defineEvent({
  plugin: 'memory',
  fact: 'item-remembered',
  summary: 'An agent stored an item in its long-term memory.',
  data: Type.Object({
    itemId: Type.String({ description: 'Id of the item.' }),
    agentUid: Type.String({ description: 'UID of the agent.' }),
    bytes: Type.Integer({ description: 'Size of text and metadata.' }),
    runId: Type.Union([Type.String(), Type.Null()], { description: 'The run in which it was stored.' }),
  }),
  seenBy: { verb: 'list', resource: 'agentmemories' },
})
