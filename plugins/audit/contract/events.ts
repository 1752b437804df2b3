import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

// The event feed shows them to callers that may read the audit log.
const seenBy = { verb: 'list', resource: 'auditlogs' }

const requestData = Type.Object({
  action: described(
    Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('delete')]),
    'Verb of the action.',
  ),
  outcome: described(
    Type.Union([Type.Literal('success'), Type.Literal('denied'), Type.Literal('error')]),
    'Whether the request succeeded, was denied or failed.',
  ),
  code: Type.Optional(Type.String({ description: 'Why it failed, as codes of the API.' })),
  auditId: Type.String({
    description: 'Audit-Id of the request. An outcome that the BFF reports with this id is the same action.',
  }),
  uid: Type.Optional(Type.String({ description: 'Uid of the object that was changed.' })),
  resourceVersion: Type.Optional(Type.String({ description: 'Version that the API server returned.' })),
  unconfirmed: Type.Optional(
    Type.Boolean({ description: 'The object may be unchanged; the row waits for the informer.' }),
  ),
  impersonated: Type.Optional(Type.String({ description: 'Who the actor acted as.' })),
})

/** Data of {@link clusterRequest}. */
export type ClusterRequest = Static<typeof requestData>

/** A request as recorded in the API server's own audit log: the exact actor of kubectl and of every other client. */
export const clusterRequest: EventType<ClusterRequest> = defineEvent({
  plugin: 'audit',
  fact: 'cluster-request',
  summary: 'The API server reported a request that changed an audited kind, was denied or failed.',
  data: requestData,
  seenBy,
})

const sealData = Type.Object({
  day: Type.String({ description: 'UTC day.' }),
  rows: Type.Integer({ description: 'Rows of the day when it was sealed.' }),
  digest: Type.String({ description: 'SHA-256 over id and digest of every row, in order.' }),
  head: Type.String({ description: 'SHA-256 over the head of the previous day, the day, its rows and its digest.' }),
})

/** The head of a closed day, published to a place that database access cannot change. */
export const auditDaySealed: EventType<Static<typeof sealData>> = defineEvent({
  plugin: 'audit',
  fact: 'day-sealed',
  summary: 'A day of the audit log was sealed; `mesh audit verify --head DAY=HEAD` compares the log with it.',
  data: sealData,
  seenBy,
})

const removedData = Type.Object({
  day: Type.String({ description: 'UTC day.' }),
  rows: Type.Integer({ description: 'Removed rows: all rows of the day.' }),
  before: Type.String({ description: 'Rows older than this instant were removed.' }),
  head: Type.String({
    description: 'SHA-256 over the head of the previous tombstone, and the day, rows, instant and seal of the day.',
  }),
})

/** The tombstone of rows that retention removed. */
export const auditRowsRemoved: EventType<Static<typeof removedData>> = defineEvent({
  plugin: 'audit',
  fact: 'rows-removed',
  summary: 'Retention dropped a sealed day.',
  data: removedData,
  seenBy,
})
