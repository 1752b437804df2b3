import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const personData = Type.Object({
  subject: Type.String({ description: 'Name that no longer stands with its cost.' }),
  namespace: Type.Union([Type.String(), Type.Null()], { description: 'Only cost of this namespace; null: all of it.' }),
})

/** The cost of a person stays without the name, also after a rebuild. */
export const personErased: EventType<Static<typeof personData>> = defineEvent({
  plugin: 'cost',
  fact: 'person-erased',
  summary: 'The name of a person was replaced in the cost of calls.',
  data: personData,
  seenBy: 'none',
})

const labelsData = Type.Object({
  labels: Type.Record(Type.String(), Type.String(), { description: 'Labels of the AgentDeployment.' }),
})

/** Labels of an agent, by which its cost is grouped. The subject is the agent. */
export const agentLabelsChanged: EventType<Static<typeof labelsData>> = defineEvent({
  plugin: 'cost',
  fact: 'agent-labels-changed',
  summary: 'An agent was observed for the first time, or its labels have changed.',
  data: labelsData,
})
