import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

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
