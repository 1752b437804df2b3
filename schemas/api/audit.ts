import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { cursor, limit, listOf, namespaceQuery, openObject, scope, time } from './common.ts'

const text = Type.String()
const textOrNull = Type.Union([Type.String(), Type.Null()])
const filter = Type.Optional(Type.String({ minLength: 1, maxLength: 317 }))

const instant = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 40,
    description: `${description} RFC 3339, such as 2026-11-20T08:00:00Z.`,
  })

/** An invented row, for documents. */
export const exampleRow = {
  id: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0a',
  occurred_at: '2026-11-20T08:00:00.000Z',
  source: 'bff',
  actor: 'ada@example.com',
  actor_exact: true,
  actor_kind: 'user',
  action: 'create',
  resource_kind: 'AgentDeployment',
  resource_name: 'hello',
  namespace: 'default',
  outcome: 'success',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  detail: { revision: 1 },
} as const

/** A row of the audit log. Field names are the column names, also in the log line of a row that could not be stored. */
export const AuditEvent = Type.Object(
  {
    id: described(
      text,
      'Id of the row, by which rows of one time are ordered.',
      '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0a',
    ),
    occurred_at: described(time, 'Time of the action.'),
    source: described(Type.Enum(['controller', 'bff']), 'Who wrote the row: the controller or the BFF.', 'bff'),
    actor: described(text, 'User, service account or controller that acted.', 'ada@example.com'),
    /** False for a guess: `manager:` and a field manager, which any client can choose freely. */
    actor_exact: Type.Boolean({
      description: 'Whether the actor is authenticated; false for a guess.',
      examples: [true],
    }),
    actor_kind: described(Type.Enum(['user', 'controller', 'system']), 'Kind of the actor.', 'user'),
    action: described(text, 'Verb of the action, such as create, update, delete or invoke.', 'create'),
    resource_kind: described(text, 'Kind of the resource.', 'AgentDeployment'),
    resource_name: described(text, 'Name of the resource.', 'hello'),
    namespace: described(text, 'Namespace of the resource; empty for a cluster-wide one.', 'default'),
    outcome: described(
      Type.Enum(['success', 'denied', 'error']),
      'Whether the action succeeded, was denied or failed.',
      'success',
    ),
    trace_id: described(
      textOrNull,
      'Id of the trace of the action, 32 lowercase hexadecimal digits; null without one.',
      '4bf92f3577b34da6a3ce929d0e0e4736',
    ),
    detail: exemplified(
      openObject('What belongs to the action: references, numbers, or old and new values of audited fields.'),
      { revision: 1 },
    ),
  },
  { title: 'AuditEvent' },
)

/** See {@link AuditEvent}. */
export type AuditEvent = Static<typeof AuditEvent>

const filters = {
  namespace: Type.Optional(namespaceQuery),
  scope: Type.Optional(scope),
  actor: described(filter, 'Exact name of the actor.'),
  actor_kind: Type.Optional(described(Type.Enum(['user', 'controller', 'system']), 'Kind of the actor.')),
  action: described(filter, 'Exact verb, such as delete.'),
  kind: described(filter, 'Exact kind of the resource, such as AgentDeployment.'),
  resource_name: described(filter, 'Exact name of the resource.'),
  trace_id: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Id of the trace, 32 lowercase hexadecimal digits.' }),
  ),
  source: Type.Optional(described(Type.Enum(['controller', 'bff']), 'Who wrote the row.')),
  outcome: Type.Optional(described(Type.Enum(['success', 'denied', 'error']), 'Outcome of the act.')),
}

const from = instant('Rows of this instant and later.')
const to = instant('Rows before this instant.')

/** Query of `GET /api/audit`. */
export const AuditQuery = Type.Object(
  {
    ...filters,
    from: Type.Optional(from),
    to: Type.Optional(to),
    limit: Type.Optional(limit),
    cursor: Type.Optional(cursor),
  },
  { additionalProperties: false },
)

/** See {@link AuditQuery}. */
export type AuditQuery = Static<typeof AuditQuery>

/** Query of `GET /api/audit/export`. */
export const AuditExportQuery = Type.Object(
  {
    ...filters,
    from,
    to,
    format: Type.Optional(
      described(Type.Enum(['ndjson', 'csv']), 'One JSON object a line (default), or CSV with a header.'),
    ),
  },
  { additionalProperties: false },
)

/** See {@link AuditExportQuery}. */
export type AuditExportQuery = Static<typeof AuditExportQuery>

/** Rows of the audit log, one JSON object a line. */
export const AuditLines = Type.String({
  contentMediaType: 'application/x-ndjson',
  examples: [`${JSON.stringify(exampleRow)}\n`],
})

/** Response of `GET /api/audit`, newest first. */
export const AuditPage = listOf(AuditEvent)
