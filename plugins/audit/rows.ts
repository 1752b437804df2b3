import { createHash } from 'node:crypto'
import type { StoredEvent } from '#core/events/event.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'

/** A row to write, with the key that makes one row of one change (A4). */
export interface AuditRow extends Omit<AuditEvent, 'occurred_at'> {
  readonly key: string
  readonly occurred_at: Date
  /** Whether the actor is the caller itself; a guess from managed fields is replaced by it, never the reverse. */
  readonly exact: boolean
}

/** Audit descriptors by event type: the whole of what audit knows about other plugins. */
export type Descriptors = ReadonlyMap<string, { readonly action: string; readonly resourceKind: string }>

const actions: Readonly<Record<string, string>> = { create: 'create', update: 'update', delete: 'delete' }

/** The row of an event, or undefined when it is not audited. */
export function toRow(event: StoredEvent, descriptors: Descriptors): AuditRow | undefined {
  if (event.type === 'dev.mesh.audit.outcome.v1') return outcomeRow(event)
  const descriptor = descriptors.get(event.type)
  if (!descriptor) return undefined
  if (event.type.startsWith('dev.mesh.cluster.')) return clusterRow(event, descriptor.action)
  return {
    ...common(event),
    ...idOf(`event/${event.id}`),
    source: 'bff',
    action: descriptor.action,
    resource_kind: descriptor.resourceKind,
    outcome: 'success',
    detail: {},
    exact: true,
  }
}

/** Merges rows of one key within a batch: an exact actor wins, repeated denials add up. */
export function mergeRows(rows: readonly AuditRow[]): readonly AuditRow[] {
  const byKey = new Map<string, AuditRow>()
  for (const row of rows) {
    const before = byKey.get(row.key)
    byKey.set(row.key, before ? merge(before, row) : row)
  }
  return [...byKey.values()]
}

function merge(before: AuditRow, row: AuditRow): AuditRow {
  if (before.outcome === 'denied')
    return { ...before, detail: { ...before.detail, count: countOf(before) + countOf(row) } }
  return !before.exact && row.exact ? withActor(before, row) : row.exact || before.exact ? before : row
}

/** The informer's row with the caller that the API saw. */
function withActor(row: AuditRow, exact: AuditRow): AuditRow {
  const { actor, actor_kind, trace_id } = exact
  return { ...row, actor, actor_kind, trace_id, exact: true, detail: { ...row.detail, ...exact.detail } }
}

/** How many denials a row stands for. */
export function countOf(row: Pick<AuditRow, 'detail'>): number {
  const count = row.detail['count']
  return typeof count === 'number' ? count : 1
}

function clusterRow(event: StoredEvent, action: string): AuditRow {
  const data = fields(event)
  const late = data['late'] === true ? { late: true } : {}
  return {
    ...common(event),
    ...idOf(changeKey(action, text(data['uid']), text(data['resourceVersion']))),
    source: 'controller',
    action,
    resource_kind: text(data['kind']) || event.subject.kind,
    outcome: data['error'] === undefined ? 'success' : 'error',
    detail: { uid: text(data['uid']), resourceVersion: text(data['resourceVersion']), ...late },
    exact: false,
  }
}

function outcomeRow(event: StoredEvent): AuditRow {
  const data = fields(event)
  const outcome = data['outcome'] === 'success' ? 'success' : data['outcome'] === 'denied' ? 'denied' : 'error'
  const action = text(data['action'])
  const ofObject = outcome === 'success' && actions[action] !== undefined && text(data['uid']) !== ''
  const code = text(data['code'])
  return {
    ...common(event),
    ...idOf(
      ofObject
        ? changeKey(action, text(data['uid']), text(data['resourceVersion']))
        : outcomeKey(event, outcome, action),
    ),
    source: ofObject ? 'controller' : 'bff',
    action,
    resource_kind: text(data['resourceKind']),
    outcome,
    detail: code === '' ? {} : { code },
    exact: true,
  }
}

/** Create and delete happen once to a uid; an update is told from the next by its resourceVersion. */
function changeKey(action: string, uid: string, resourceVersion: string): string {
  return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`
}

/** Denials of one (actor, verb, resource) within a minute are one row. */
function outcomeKey(event: StoredEvent, outcome: string, action: string): string {
  if (outcome !== 'denied') return `event/${event.id}`
  const { namespace, name } = event.subject
  const minute = Math.floor(event.time.getTime() / 60_000)
  return `denied/${minute}/${digest(JSON.stringify([event.actor?.name, action, event.subject.kind, namespace, name]))}`
}

function common(event: StoredEvent) {
  return {
    occurred_at: event.time,
    actor: event.actor?.name ?? 'unknown',
    actor_kind: event.actor?.kind ?? ('system' as const),
    resource_name: event.subject.name,
    namespace: event.subject.namespace ?? '',
    trace_id: event.traceparent?.split('-')[1] ?? null,
  }
}

/** The row's id follows from its key, so that a replay makes the same row. */
function idOf(key: string): { readonly key: string; readonly id: string } {
  const hex = digest(key)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return { key, id: parts.join('-') }
}

function digest(input: string): string {
  return createHash('sha256').update(input).digest('hex')
}

function fields(event: StoredEvent): Readonly<Record<string, unknown>> {
  return typeof event.data === 'object' && event.data !== null ? { ...event.data } : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
