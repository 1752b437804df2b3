import { createHash } from 'node:crypto'
import { asObject } from '#core/json/is-object.ts'
import type { StoredEvent } from '#core/event-store/event.ts'

/** Source of a row: a stored event, or one that could not be stored. */
export type AuditSource = Pick<StoredEvent, 'id' | 'type' | 'time' | 'subject' | 'data'> &
  Partial<Pick<StoredEvent, 'actor' | 'traceparent'>>

/** Reason of an act whose outcome was not reported. */
export const UNKNOWN = 'unknown'

interface Keyed {
  readonly key: string
}

interface Detailed {
  readonly detail: Readonly<Record<string, unknown>>
}

// One row per act and minute: a loop that fails all day creates 1,440 rows.
const COUNTED = 'denied/'
// Rows of acts with an intent: one per intent.
const ACT = 'act/'

/** Whether a row settles an intent. */
export function isAct(row: Keyed): boolean {
  return row.key.startsWith(ACT)
}

/** The intent that a row settles. */
export function intentOf(row: Keyed): string {
  return row.key.slice(ACT.length)
}

/** Whether the outcome of the act is unknown. A row with an outcome replaces it. */
export function isUnknown(row: Detailed): boolean {
  return row.detail['reason'] === UNKNOWN
}

/** Whether a row represents denials, or failures that the API server reported, which are counted together. */
export function isCounted(row: Keyed): boolean {
  return row.key.startsWith(COUNTED)
}

/** Number of denials or failures that a row represents. */
export function countOf(row: Detailed): number {
  const count = row.detail['count']
  return typeof count === 'number' ? count : 1
}

/** The id of the row of a change. */
export function changeId(action: string, uid: string, resourceVersion: string): string {
  return idOf(changeKey(action, uid, resourceVersion))
}

/** A uid is created and deleted once. Updates are distinguished by their resourceVersion. */
export function changeKey(action: string, uid: string, resourceVersion: string): string {
  return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`
}

/** Denials, or failures with one code, of one (actor, verb, resource) within a minute are one row. */
export function countedKey(event: AuditSource, act: readonly string[]): string {
  const { kind, namespace, name } = event.subject
  const minute = Math.floor(event.time.getTime() / 60_000)
  return `${COUNTED}${minute}/${digest(JSON.stringify([event.actor?.name, ...act, kind, namespace, name]))}`
}

// The BFF and the API server report one request under one Audit-Id.
export function eventKey(event: AuditSource): string {
  const auditId = text(asObject(event.data)['auditId'])
  return auditId === '' ? `event/${event.id}` : `request/${auditId}`
}

/** The row's id follows from its key, so that a replay creates the same row. */
export function idOf(key: string): string {
  const hex = digest(key)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function digest(input: string): string {
  return createHash('sha256').update(input).digest('hex')
}

/** A string field of an event; empty for other values. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Key of the row of an intent. */
export function actKey(intent: string): string {
  return `${ACT}${intent}`
}
