import { type Static, Type } from 'typebox'
import { defineEvent, type EventType } from '#core/events/event.ts'

const outcomeData = Type.Object({
  action: Type.String(),
  resourceKind: Type.String(),
  outcome: Type.Union([Type.Literal('success'), Type.Literal('denied'), Type.Literal('error')]),
  code: Type.Optional(Type.String({ description: 'Error code of the API, for a denied or failed act.' })),
  uid: Type.Optional(Type.String({ description: 'Uid of the cluster object that was changed.' })),
  resourceVersion: Type.Optional(Type.String({ description: 'Version that the change made.' })),
  intent: Type.Optional(Type.String({ description: 'Id of the intent that was written down before the act.' })),
  reason: Type.Optional(Type.Literal('unknown', { description: 'Nobody told what became of the act.' })),
})

/** What a person tried through the API: the exact caller, for the audit log. */
export const auditOutcome: EventType<Static<typeof outcomeData>> = defineEvent({
  plugin: 'audit',
  fact: 'outcome',
  summary: 'A mutating request was decided; names the exact caller.',
  data: outcomeData,
})
