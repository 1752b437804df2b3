import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const outcomeData = Type.Object({
  action: Type.String({ description: 'Verb of the action.' }),
  resourceKind: Type.String({ description: 'Kind of the resource.' }),
  outcome: Type.Union([Type.Literal('success'), Type.Literal('denied'), Type.Literal('error')], {
    description: 'Whether the action succeeded, was denied or failed.',
  }),
  code: Type.Optional(
    Type.String({ description: 'Error code of the API, or reason of a refused sign-in, for a denied or failed act.' }),
  ),
  uid: Type.Optional(Type.String({ description: 'Uid of the cluster object that was changed.' })),
  resourceVersion: Type.Optional(Type.String({ description: 'Version that the change made.' })),
  auditId: Type.Optional(Type.String({ description: 'Audit-Id of the request that the cluster denied.' })),
  change: Type.Optional(
    Type.String({
      description: 'Effect on the object if the action has another name: create, update or delete.',
    }),
  ),
  intent: Type.Optional(Type.String({ description: 'Id of the intent that was recorded before the action.' })),
  way: Type.Optional(
    Type.Union([Type.Literal('code'), Type.Literal('token'), Type.Literal('oidc')], {
      description: 'How a browser signed in, or tried to.',
    }),
  ),
  persona: Type.Optional(Type.String({ description: 'Persona that a session changed to.' })),
  count: Type.Optional(Type.Integer({ description: 'Number of equal refused sign-ins; absent for one.' })),
  reason: Type.Optional(Type.Literal('unknown', { description: 'The outcome of the action was never reported.' })),
})

/** Data of {@link requestOutcome}. */
export type RequestOutcome = Static<typeof outcomeData>

/**
 * The outcome of a mutating request or a sign-in, with its exact caller. A success is an accepted write of a cluster object. The audit log and the
 * object index subscribe to it (ADR 0054); its name and its rights are those of the audit log.
 */
export const requestOutcome: EventType<RequestOutcome> = defineEvent({
  plugin: 'audit',
  fact: 'outcome',
  summary: 'A mutating request or a sign-in was decided; names the exact caller.',
  data: outcomeData,
  seenBy: { verb: 'list', resource: 'auditlogs' },
})
