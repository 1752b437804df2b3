import { getAt } from '#core/json/get-at.ts'
import { asObject } from '#core/json/is-object.ts'
import { KIND_OF_DATA } from '#core/controllers/objects/object-events.ts'
import type { AuditDescriptor } from '#core/event-store/event.ts'
import { guessedActor } from '#core/controllers/objects/object-fingerprint.ts'
import { allowlisted, isUid } from './sanitize-columns.ts'
import type { AuditText } from './sanitize-columns.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { clusterRequest } from '../contract/events.ts'
import type { AuditTables } from '../contract/tables.ts'
import { actKey, changeKey, countedKey, eventKey, idOf, text, UNKNOWN } from './row-keys.ts'
import type { AuditSource } from './row-keys.ts'

/** A row to write, with the key that merges reports of one change (A4). */
export interface AuditRow extends Omit<AuditTables['audit_log'], 'actor_exact'> {
  readonly key: string
  /** Key of the event itself. It ensures that a denial is counted once. */
  readonly eventKey: string
  readonly actor_exact: boolean
  /** Completion time of the request that the API server reported. Of two requests that claim one change, the earlier one counts. */
  readonly claimedAt?: Date
  /** The row only carries the actor for a row that another event creates. */
  readonly pending?: true
}

/** Audit descriptors by event type, the only knowledge about other plugins. */
export type Descriptors = ReadonlyMap<string, AuditDescriptor>

/** Types of the events that become rows. */
export function auditedTypes(descriptors: Descriptors): readonly string[] {
  return [...new Set([requestOutcome.type, clusterRequest.type, ...descriptors.keys()])]
}

/** The row of an event, or undefined if it is not audited. */
export function toAuditRow(event: AuditSource, descriptors: Descriptors): AuditRow | undefined {
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

/** The row of a change that an informer saw; its actor is a guess from the object's managed fields. */
function changeRow(event: AuditSource, action: string): AuditRow {
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

/** The row of a caller's act or attempt through the API. A change shares the informer's row, which may come before or after it. */
function outcomeRow(event: AuditSource): AuditRow {
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
    // Refused sign-ins are counted before they become an event.
    ...(data['count'] === undefined ? {} : { count: data['count'] }),
    ...(data['way'] === undefined ? {} : { way: data['way'] }),
    ...(data['persona'] === undefined ? {} : { persona: data['persona'] }),
  }
  const ofObject = outcome === 'success' && uid !== ''
  const own = ownKey(event, action, outcome)
  // `rollback` is an update of the object: the informer's row of it has that key.
  const ofChange = ofObject ? changeKey(text(data['change']) || action, uid, resourceVersion) : own
  const key = intent === '' ? ofChange : actKey(intent)
  return finish(
    { ...common(event), action, resource_kind: text(data['resourceKind']), detail },
    { event, key, source: 'bff', outcome },
  )
}

// Denials of one act within a minute share a row (`count`).
function ownKey(event: AuditSource, action: string, outcome: string): string {
  if (outcome !== 'denied') return eventKey(event)
  const { way, code } = asObject(event.data)
  // Refused sign-ins have no actor: their way and reason distinguish them.
  return countedKey(event, way === undefined ? [action] : [action, text(way), text(code)])
}

/** The row of a request that the API server reported: the exact actor of a change, a denial or a failure. */
function requestRow(event: AuditSource): AuditRow {
  const data = asObject(event.data)
  const [action, uid, resourceVersion] = [text(data['action']), text(data['uid']), text(data['resourceVersion'])]
  const outcome = data['outcome'] === 'success' ? 'success' : data['outcome'] === 'error' ? 'error' : 'denied'
  // Events of earlier versions report denials only, without a code.
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
    // The event has the trace of the delivery, not of the act.
    { ...common(event), trace_id: null, action, resource_kind: event.subject.kind, detail },
    { event, key, source: 'controller', outcome },
  )
  return { ...row, claimedAt: event.time, ...(data['unconfirmed'] === true ? { pending: true } : {}) }
}

// From the data, never from the event's actor: events of earlier versions have only the field manager.
function guess(data: Readonly<Record<string, unknown>>): Pick<AuditRow, 'actor' | 'actor_kind' | 'actor_exact'> {
  const manager = text(data['actorGuess'])
  if (manager === '') return { actor: UNKNOWN, actor_kind: 'system', actor_exact: false }
  return { actor: guessedActor(manager), actor_kind: 'controller', actor_exact: false }
}

// Rows of the platform's own acts, without a caller, belong to the controller.
function sourceOf({ actor }: AuditSource): AuditRow['source'] {
  if (actor === undefined || actor.kind === 'controller') return 'controller'
  return actor.name.startsWith('system:mesh:') ? 'controller' : 'bff'
}

function actionOf({ data }: AuditSource, { action, actionFrom }: AuditDescriptor): string {
  const named = actionFrom === undefined ? undefined : asObject(data)[actionFrom.field]
  return actionFrom?.values.find((value) => value === named) ?? action
}

function detailOf({ data }: AuditSource, descriptor: AuditDescriptor): Record<string, unknown> {
  const given = asObject(data)
  const named = (descriptor.detail ?? []).map((field): [string, unknown] => {
    const [name = '', ...rest] = field.split('.')
    return [name, getAt(given, [name, ...rest])]
  })
  return Object.fromEntries(named.filter(([, value]) => value !== undefined && value !== null))
}

function common(event: AuditSource) {
  const { name: actor = UNKNOWN, kind = 'system' } = event.actor ?? {}
  return {
    actor,
    // Events of earlier versions classify a requesting service account as a user.
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
  { event, ...rest }: Pick<AuditRow, 'key' | 'source' | 'outcome'> & { readonly event: AuditSource },
): AuditRow {
  const { actor_kind, actor_exact } = row
  const namespace_uid = row.namespace_uid !== null && isUid(row.namespace_uid) ? row.namespace_uid : null
  const own = { id: idOf(rest.key), eventKey: eventKey(event), occurred_at: event.time }
  return { ...allowlisted(row), ...own, actor_kind, actor_exact, namespace_uid, ...rest }
}
