import { Type } from 'typebox'
import type { Static } from 'typebox'
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

/** A row of the audit log. Its names are those of the columns, also in the log line of a row that is not stored. */
export const AuditEvent = Type.Object(
  {
    id: text,
    occurred_at: time,
    source: Type.Enum(['controller', 'bff']),
    actor: text,
    /** False for a guess: `manager:` and a field manager, which is any client's free text. */
    actor_exact: Type.Boolean({ description: 'Whether the actor is authenticated; false for a guess.' }),
    actor_kind: Type.Enum(['user', 'controller', 'system']),
    action: text,
    resource_kind: text,
    resource_name: text,
    namespace: text,
    outcome: Type.Enum(['success', 'denied', 'error']),
    trace_id: textOrNull,
    detail: openObject('What belongs to the action: references, numbers, or old and new values of audited fields.'),
  },
  { title: 'AuditEvent' },
)

/** See {@link AuditEvent}. */
export type AuditEvent = Static<typeof AuditEvent>

/** Query of `GET /api/audit`. */
export const AuditQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    actor: filter,
    action: filter,
    kind: filter,
    outcome: Type.Optional(Type.Enum(['success', 'denied', 'error'])),
    from: Type.Optional(instant('Rows of this instant and later.')),
    to: Type.Optional(instant('Rows before this instant.')),
    limit: Type.Optional(limit),
    cursor: Type.Optional(cursor),
  },
  { additionalProperties: false },
)

/** Answer of `GET /api/audit`, newest first. */
export const AuditPage = listOf(AuditEvent)
