import { createHash } from 'node:crypto'
import { asObject } from '#core/json/is-object.ts'
import { KIND_OF_DATA } from '#core/controllers/objects/object-events.ts'
import type { AuditDescriptor, StoredEvent } from '#core/event-store/event.ts'
import { guessedActor } from '#core/controllers/objects/object-fingerprint.ts'
import { allowlisted, isUid } from './sanitize-columns.ts'
import type { AuditText } from './sanitize-columns.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { clusterRequest } from '../events.ts'
import type { AuditTables } from '../store/tables.ts'

/** A row to write, with the key that merges reports of one change (A4). */
export interface AuditRow extends Omit<AuditTables['audit_log'], 'actor_exact'> {
  readonly key: string
  /** Key of the event itself. A denial is counted once by it. */
  readonly eventKey: string
  readonly actor_exact: boolean
  /** Completion time of the request that the API server reported. Of two requests that claim one change, the earlier one made it. */
  readonly claimedAt?: Date
  /** Carries the actor for a row that another event creates. Creates no row itself. */
  readonly pending?: true
}

/** Audit descriptors by event type, the only knowledge about other plugins. */
export type Descriptors = ReadonlyMap<string, AuditDescriptor>

/** Source of a row: a stored event, or one that could not be stored. */
export type Audited = Pick<StoredEvent, 'id' | 'type' | 'time' | 'subject' | 'data'> &
  Partial<Pick<StoredEvent, 'actor' | 'traceparent'>>

/** The row of an event, or undefined when it is not audited. */
export function toAuditRow(event: Audited, descriptors: Descriptors): AuditRow | undefined {
  if (event.type === requestOutcome.type) return outcomeRow(event)
  if (event.type === clusterRequest.type) return requestRow(event)
  const descriptor = descriptors.get(event.type)
  if (!descriptor) return undefined
  if (descriptor.resourceKind === KIND_OF_DATA) return changeRow(event, descriptor.action)
  const action = actionOf(event, descriptor)
  return finish(
    { ...common(event), action, resource_kind: descriptor.resourceKind, detail: detailOf(event, descriptor) },
    { event, key: eventKey(event), source: sourceOf(event), outcome: 'success' },
  )
}

/** Merges rows of one key within a batch as the table does. The result does not depend on the batching of events. */
export function mergeRows(rows: readonly AuditRow[]): readonly AuditRow[] {
  const byKey = new Map<string, AuditRow>()
  for (const row of rows) {
    const before = byKey.get(row.key)
    byKey.set(row.key, before ? merge(before, row) : row)
  }
  return [...byKey.values()]
}

function merge(before: AuditRow, row: AuditRow): AuditRow {
  if (isAct(before)) return isUnknown(before) ? { ...row, occurred_at: before.occurred_at } : before
  if (isCounted(before)) return { ...before, detail: { ...before.detail, count: countOf(before) + countOf(row) } }
  const seen = [before, row].find(({ source }) => source === 'controller') ?? before
  const { occurred_at } = before
  const namespace_uid = seen.namespace_uid ?? before.namespace_uid ?? row.namespace_uid
  const detail = { ...before.detail, ...row.detail, ...seen.detail }
  const { pending: _pending, claimedAt: _claimedAt, ...merged } = seen
  const made = { ...merged, ...actingOf(before, row), occurred_at, namespace_uid, detail }
  return before.pending === true && row.pending === true ? { ...made, pending: true } : made
}

type Acting = Pick<AuditRow, 'actor' | 'actor_kind' | 'actor_exact' | 'action' | 'trace_id' | 'claimedAt'>

// The exact actor. Of two, the caller reported by the BFF, else the one whose request was complete first.
function actingOf(before: AuditRow, row: AuditRow): Acting {
  const exact = [before, row].filter((one) => one.actor_exact)
  const first = exact.toSorted((a, b) => (a.claimedAt?.getTime() ?? 0) - (b.claimedAt?.getTime() ?? 0))[0] ?? before
  const { actor, actor_kind, actor_exact, action, trace_id, claimedAt } = first
  return { actor, actor_kind, actor_exact, action, trace_id, ...(claimedAt === undefined ? {} : { claimedAt }) }
}

// One row per act and minute: a loop that fails all day makes 1,440 rows.
const COUNTED = 'denied/'
// Rows of acts with an intent: one per intent.
const ACT = 'act/'
const UNKNOWN = 'unknown'

/** Whether a row settles an intent. */
export function isAct(row: Pick<AuditRow, 'key'>): boolean {
  return row.key.startsWith(ACT)
}

/** The intent that a row settles. */
export function intentOf(row: Pick<AuditRow, 'key'>): string {
  return row.key.slice(ACT.length)
}

/** Whether the outcome of the act is unknown. A row with an outcome replaces it. */
export function isUnknown(row: Pick<AuditRow, 'detail'>): boolean {
  return row.detail['reason'] === UNKNOWN
}

/** The row of an act that was reported after its day was sealed: a row of the open day with the original time. */
export function toLate(row: AuditRow, now: Date): AuditRow {
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString() }
  const late = { ...row, occurred_at: now, detail }
  // The row of that minute is sealed, so this denial is a new row.
  return isCounted(row) ? { ...late, key: `late/${row.eventKey}`, id: idOf(`late/${row.eventKey}`) } : late
}

/** New knowledge about a sealed row, as a row of the open day. */
export function toAmendment(row: AuditRow, now: Date): AuditRow {
  const key = `late/${row.key}`
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString(), amends: row.id }
  return { ...row, key, id: idOf(key), occurred_at: now, detail }
}

/** Whether a row represents denials, or failures that the API server reported, which are counted together. */
export function isCounted(row: Pick<AuditRow, 'key'>): boolean {
  return row.key.startsWith(COUNTED)
}

/** How many of them a row represents. */
export function countOf(row: Pick<AuditRow, 'detail'>): number {
  const count = row.detail['count']
  return typeof count === 'number' ? count : 1
}

/** What an informer saw; who did it is a guess from the object's managed fields. */
function changeRow(event: Audited, action: string): AuditRow {
  const data = asObject(event.data)
  const { uid, resourceVersion } = data
  const detail = {
    uid,
    resourceVersion,
    ...(data['late'] === true ? { late: true } : {}),
    ...(data['error'] === undefined ? {} : { malformed: true }),
    ...(data['changes'] === undefined ? {} : { changes: data['changes'] }),
  }
  return finish(
    { ...common(event), ...guess(data), action, resource_kind: text(data['kind']) || event.subject.kind, detail },
    { event, key: changeKey(action, text(uid), text(resourceVersion)), source: 'controller', outcome: 'success' },
  )
}

/** What a caller did or tried through the API. Of a change it is the informer's row, which may come before or after it. */
function outcomeRow(event: Audited): AuditRow {
  const data = asObject(event.data)
  const [action, uid, resourceVersion] = [text(data['action']), text(data['uid']), text(data['resourceVersion'])]
  const intent = text(data['intent'])
  const outcome = data['outcome'] === 'success' ? 'success' : data['outcome'] === 'denied' ? 'denied' : 'error'
  const detail = {
    ...(data['code'] === undefined ? {} : { code: data['code'] }),
    ...(uid === '' ? {} : { uid }),
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(data['reason'] === UNKNOWN ? { reason: UNKNOWN } : {}),
    ...(outcome === 'denied' && intent === '' ? { count: 1 } : {}),
  }
  const ofObject = outcome === 'success' && uid !== ''
  const own = ownKey(event, action, outcome)
  // `rollback` is an update of the object: the informer's row of it has that key.
  const ofChange = ofObject ? changeKey(text(data['change']) || action, uid, resourceVersion) : own
  const key = intent === '' ? ofChange : `${ACT}${intent}`
  return finish(
    { ...common(event), action, resource_kind: text(data['resourceKind']), detail },
    { event, key, source: 'bff', outcome },
  )
}

// Denials of one act within a minute share a row (`count`).
function ownKey(event: Audited, action: string, outcome: string): string {
  return outcome === 'denied' ? countedKey(event, [action]) : eventKey(event)
}

/** What the API server reported of a request: the exact actor of a change, a denial or a failure. */
function requestRow(event: Audited): AuditRow {
  const data = asObject(event.data)
  const [action, uid, resourceVersion] = [text(data['action']), text(data['uid']), text(data['resourceVersion'])]
  const outcome = data['outcome'] === 'success' ? 'success' : data['outcome'] === 'error' ? 'error' : 'denied'
  // Events of earlier versions report denials alone, without a code.
  const code = text(data['code']) || 'forbidden'
  const detail = {
    ...(uid === '' ? {} : { uid }),
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(outcome === 'success' ? {} : { code, count: 1 }),
    ...(data['impersonated'] === undefined ? {} : { impersonated: data['impersonated'] }),
  }
  const own = outcome === 'error' ? countedKey(event, [action, code]) : ownKey(event, action, outcome)
  const key = uid === '' ? own : changeKey(action, uid, resourceVersion)
  const row = finish(
    // The trace of the event is the delivery's, not the act's.
    { ...common(event), trace_id: null, action, resource_kind: event.subject.kind, detail },
    { event, key, source: 'controller', outcome },
  )
  return { ...row, claimedAt: event.time, ...(data['unconfirmed'] === true ? { pending: true } : {}) }
}

/** The id of the row of a change. */
export function changeId(action: string, uid: string, resourceVersion: string): string {
  return idOf(changeKey(action, uid, resourceVersion))
}

/** A uid is created and deleted once. Updates are distinguished by their resourceVersion. */
function changeKey(action: string, uid: string, resourceVersion: string): string {
  return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`
}

/** Denials, or failures with one code, of one (actor, verb, resource) within a minute are one row. */
function countedKey(event: Audited, act: readonly string[]): string {
  const { kind, namespace, name } = event.subject
  const minute = Math.floor(event.time.getTime() / 60_000)
  return `${COUNTED}${minute}/${digest(JSON.stringify([event.actor?.name, ...act, kind, namespace, name]))}`
}

// From the data, never from the event's actor: events of earlier versions name the field manager alone.
function guess(data: Readonly<Record<string, unknown>>): Pick<AuditRow, 'actor' | 'actor_kind' | 'actor_exact'> {
  const manager = text(data['actorGuess'])
  if (manager === '') return { actor: UNKNOWN, actor_kind: 'system', actor_exact: false }
  return { actor: guessedActor(manager), actor_kind: 'controller', actor_exact: false }
}

// Rows of the platform's own acts, which no caller asked for, are the controller's.
function sourceOf({ actor }: Audited): AuditRow['source'] {
  if (actor === undefined || actor.kind === 'controller') return 'controller'
  return actor.name.startsWith('system:mesh:') ? 'controller' : 'bff'
}

function actionOf({ data }: Audited, { action, actionFrom }: AuditDescriptor): string {
  const named = actionFrom === undefined ? undefined : asObject(data)[actionFrom.field]
  return actionFrom?.values.find((value) => value === named) ?? action
}

function detailOf({ data }: Audited, descriptor: AuditDescriptor): Record<string, unknown> {
  const given = asObject(data)
  const named = (descriptor.detail ?? []).map((field): [string, unknown] => [field, given[field]])
  return Object.fromEntries(named.filter(([, value]) => value !== undefined && value !== null))
}

function common(event: Audited) {
  const { name: actor = UNKNOWN, kind = 'system' } = event.actor ?? {}
  return {
    actor,
    // Events of earlier versions call a service account a user where it came with a request.
    actor_kind: actor.startsWith('system:') ? ('system' as const) : kind,
    actor_exact: actor !== UNKNOWN,
    namespace_uid: event.subject.namespaceUid ?? null,
    resource_name: event.subject.name,
    namespace: event.subject.namespace ?? '',
    trace_id: event.traceparent?.split('-')[1] ?? null,
  }
}

function finish(
  row: AuditText & Pick<AuditRow, 'actor_kind' | 'actor_exact' | 'namespace_uid'>,
  { event, ...rest }: Pick<AuditRow, 'key' | 'source' | 'outcome'> & { readonly event: Audited },
): AuditRow {
  const { actor_kind, actor_exact } = row
  const namespace_uid = row.namespace_uid !== null && isUid(row.namespace_uid) ? row.namespace_uid : null
  const own = { id: idOf(rest.key), eventKey: eventKey(event), occurred_at: event.time }
  return { ...allowlisted(row), ...own, actor_kind, actor_exact, namespace_uid, ...rest }
}

// The BFF and the API server report one request under one Audit-Id.
function eventKey(event: Audited): string {
  const auditId = text(asObject(event.data)['auditId'])
  return auditId === '' ? `event/${event.id}` : `request/${auditId}`
}

/** The row's id follows from its key, so that a replay makes the same row. */
export function idOf(key: string): string {
  const hex = digest(key)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function digest(input: string): string {
  return createHash('sha256').update(input).digest('hex')
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
