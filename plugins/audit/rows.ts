import { createHash } from 'node:crypto'
import { KIND_OF_DATA } from '#core/cluster/events.ts'
import type { AuditDescriptor, StoredEvent } from '#core/events/event.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { allowlisted, type AuditText } from './columns.ts'
import { auditOutcome } from './events.ts'

/** A row to write, with the key that makes one row of one change (A4). */
export interface AuditRow extends Omit<AuditEvent, 'occurred_at'> {
  readonly key: string
  /** The key of the event alone, by which a denial is counted once. */
  readonly eventKey: string
  readonly occurred_at: Date
  /** Whether the actor is the caller itself; a guess from managed fields is replaced by it, never the reverse. */
  readonly exact: boolean
}

/** Audit descriptors by event type: the whole of what audit knows about other plugins. */
export type Descriptors = ReadonlyMap<string, AuditDescriptor>

/** What a row is derived from: a stored event, or one that could not be stored. */
export type Audited = Pick<StoredEvent, 'id' | 'type' | 'time' | 'subject' | 'data'> &
  Partial<Pick<StoredEvent, 'actor' | 'traceparent'>>

/** The row of an event, or undefined when it is not audited. */
export function toRow(event: Audited, descriptors: Descriptors): AuditRow | undefined {
  if (event.type === auditOutcome.type) return outcomeRow(event)
  const descriptor = descriptors.get(event.type)
  if (!descriptor) return undefined
  if (descriptor.resourceKind === KIND_OF_DATA) return changeRow(event, descriptor.action)
  const { action, resourceKind } = descriptor
  return finish(
    { ...common(event), action, resource_kind: resourceKind, detail: {} },
    { event, key: eventKey(event), source: 'bff', outcome: 'success', exact: true },
  )
}

/** Merges rows of one key within a batch as the table would: the result does not depend on how events fell into batches. */
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
  const { actor, actor_kind, trace_id, exact } = [before, row].find((one) => one.exact) ?? before
  const { occurred_at } = before
  return { ...seen, occurred_at, actor, actor_kind, trace_id, exact, detail: { ...before.detail, ...seen.detail } }
}

const DENIED = 'denied/'
// Rows of acts that were written down before they happened: one an intent.
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

/** Whether nobody has told yet what became of the act: a row that does know replaces it. */
export function isUnknown(row: Pick<AuditRow, 'detail'>): boolean {
  return row.detail['reason'] === UNKNOWN
}

/** The row of something that came after its day was sealed: it stands in the open day and says when it happened. */
export function toLate(row: AuditRow, now: Date): AuditRow {
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString() }
  const late = { ...row, occurred_at: now, detail }
  // The minute's row is sealed: this denial is a row of its own.
  return isCounted(row) ? { ...late, key: `late/${row.eventKey}`, id: idOf(`late/${row.eventKey}`) } : late
}

/** What is known now of a sealed row, as a row of the open day. */
export function toAmendment(row: AuditRow, now: Date): AuditRow {
  const key = `late/${row.key}`
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString(), amends: row.id }
  return { ...row, key, id: idOf(key), occurred_at: now, detail }
}

/** Whether a row stands for denials that are counted together. */
export function isCounted(row: Pick<AuditRow, 'key'>): boolean {
  return row.key.startsWith(DENIED)
}

/** How many denials a row stands for. */
export function countOf(row: Pick<AuditRow, 'detail'>): number {
  const count = row.detail['count']
  return typeof count === 'number' ? count : 1
}

/** What an informer saw; who did it is a guess from the object's managed fields. */
function changeRow(event: Audited, action: string): AuditRow {
  const data = fields(event)
  const { uid, resourceVersion } = data
  const detail = {
    uid,
    resourceVersion,
    ...(data['late'] === true ? { late: true } : {}),
    ...(data['error'] === undefined ? {} : { malformed: true }),
  }
  return finish(
    { ...common(event), action, resource_kind: text(data['kind']) || event.subject.kind, detail },
    {
      event,
      key: changeKey(action, text(uid), text(resourceVersion)),
      source: 'controller',
      outcome: 'success',
      exact: false,
    },
  )
}

/** What a caller did or tried through the API. Of a change it is the informer's row, which may come before or after it. */
function outcomeRow(event: Audited): AuditRow {
  const data = fields(event)
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
  const own = outcome === 'denied' ? denialKey(event, action) : eventKey(event)
  const ofChange = ofObject ? changeKey(action, uid, resourceVersion) : own
  const key = intent === '' ? ofChange : `${ACT}${intent}`
  return finish(
    { ...common(event), action, resource_kind: text(data['resourceKind']), detail },
    { event, key, source: 'bff', outcome, exact: true },
  )
}

/** Create and delete happen once to a uid; an update is told from the next by its resourceVersion. */
function changeKey(action: string, uid: string, resourceVersion: string): string {
  return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`
}

/** Denials of one (actor, verb, resource) within a minute are one row. */
function denialKey(event: Audited, action: string): string {
  const { kind, namespace, name } = event.subject
  const minute = Math.floor(event.time.getTime() / 60_000)
  return `${DENIED}${minute}/${digest(JSON.stringify([event.actor?.name, action, kind, namespace, name]))}`
}

function common(event: Audited) {
  return {
    actor: event.actor?.name ?? 'unknown',
    actor_kind: event.actor?.kind ?? ('system' as const),
    resource_name: event.subject.name,
    namespace: event.subject.namespace ?? '',
    trace_id: event.traceparent?.split('-')[1] ?? null,
  }
}

function finish(
  row: AuditText & Pick<AuditRow, 'actor_kind'>,
  { event, ...rest }: Pick<AuditRow, 'key' | 'source' | 'outcome' | 'exact'> & { readonly event: Audited },
): AuditRow {
  const own = { id: idOf(rest.key), eventKey: eventKey(event), occurred_at: event.time, actor_kind: row.actor_kind }
  return { ...allowlisted(row, rest.exact), ...own, ...rest }
}

function eventKey(event: Audited): string {
  return `event/${event.id}`
}

/** The row's id follows from its key, so that a replay makes the same row. */
export function idOf(key: string): string {
  const hex = digest(key)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function digest(input: string): string {
  return createHash('sha256').update(input).digest('hex')
}

function fields(event: Audited): Readonly<Record<string, unknown>> {
  return typeof event.data === 'object' && event.data !== null ? { ...event.data } : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
