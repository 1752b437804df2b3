import { accountActor } from '#core/event-store/event.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import { clusterRequest } from '../contract/events.ts'
import type { ClusterRequest } from '../contract/events.ts'
import { readClusterAuditEvent } from './cluster-audit-event.ts'
import type { ReturnedObject, ClusterAuditEvent } from './cluster-audit-event.ts'

/** Kinds that are audited, by `group/plural`. */
export type AuditedKinds = ReadonlyMap<string, AuditedKind>

/** An audited kind. `observed`: an informer watches it and produces the row of a change. */
export interface AuditedKind {
  readonly kind: string
  readonly observed: boolean
}

/** Results for the items of an EventList. `unusable`: a change without its object (level too low, truncated). */
export type SortedEvents = Readonly<Record<'ignored' | 'malformed' | 'unusable', number>> & {
  readonly events: readonly IdentifiedEvent[]
}

/** An event with an id that deduplicates repeated deliveries (A4). */
export type IdentifiedEvent = NewEvent<ClusterRequest> & { readonly id: string }

/** Turns the items of an EventList into events; each item is judged alone; items of namespaces that are not served are ignored. Pure. */
export function toClusterRequests(
  items: readonly unknown[],
  kinds: AuditedKinds,
  serves: (namespace: string) => boolean = () => true,
): SortedEvents {
  const counts = { ignored: 0, malformed: 0, unusable: 0 }
  const events = items.flatMap((item) => {
    const read = readClusterAuditEvent(item)
    const isIgnored = read === 'incomplete' || (read !== 'malformed' && !serves(namespaceOf(read)))
    const made = read === 'malformed' ? 'malformed' : isIgnored ? 'ignored' : eventsOf(read, kinds)
    if (typeof made !== 'string') return made
    counts[made]++
    return []
  })
  return { events, ...counts }
}

// A Namespace belongs to itself. A create request has the Namespace's name in the response only.
function namespaceOf({ resource, namespace, name, answered }: ClusterAuditEvent): string {
  return resource === 'namespaces' ? (answered[0]?.name ?? '') || name || namespace : namespace
}

type Action = 'create' | 'update' | 'delete'

const changes: Readonly<Record<string, Action>> = {
  create: 'create',
  update: 'update',
  patch: 'update',
  delete: 'delete',
  deletecollection: 'delete',
}

type Made = IdentifiedEvent[] | 'ignored' | 'unusable'

function eventsOf(event: ClusterAuditEvent, kinds: AuditedKinds): Made {
  const kind = kinds.get(`${event.group}/${event.resource}`)
  const action = changes[event.verb]
  if (kind === undefined || action === undefined || event.isDryRun || event.subresource === 'status') return 'ignored'
  // Other subresources are separate kinds of requests, unless they change the object (`scale`, `finalize`).
  if (event.subresource !== '' && action !== 'update') return 'ignored'
  if (event.code >= 300) return failureOf(event, kind, action)
  if (event.code < 200) return 'ignored'
  if (!kind.observed) return [toEvent(event, { kind, action, outcome: 'success' })]
  return changesOf(event, kind, action)
}

// As in the BFF: invalid and rate-limited requests are not outcomes of an act.
const notTried = new Set([400, 401, 405, 406, 408, 413, 415, 429])
const codes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'cursor_expired',
  422: 'unprocessable',
  503: 'cluster_unavailable',
  504: 'cluster_timeout',
}

function failureOf(event: ClusterAuditEvent, kind: AuditedKind, action: Action): Made {
  if (event.code < 400 || notTried.has(event.code)) return 'ignored'
  const code = event.reason === 'AlreadyExists' ? 'already_exists' : (codes[event.code] ?? 'bad_gateway')
  return [toEvent(event, { kind, action, outcome: event.code === 403 ? 'denied' : 'error', code })]
}

function changesOf(event: ClusterAuditEvent, kind: AuditedKind, action: Action): Made {
  const { answered } = event
  const isCollection = event.verb === 'deletecollection'
  if (answered.length === 0) return isCollection ? 'ignored' : 'unusable'
  if (action === 'delete') return answered.flatMap((object) => deletionsOf(event, kind, object))
  const [object] = answered
  if (object === undefined || object.resourceVersion === '') return 'unusable'
  // An apply of an object that did not exist.
  if (action === 'create' || event.code === 201)
    return [toEvent(event, { kind, action: 'create', object, isCertain: true })]
  // The response has the submitted version: nothing was changed.
  if (object.resourceVersion === event.sentVersion) return 'ignored'
  return [toEvent(event, { kind, action: 'update', object })]
}

// With finalizers, the deletion is an update that marks the object. Its later removal is attributed to this caller, too.
function deletionsOf(event: ClusterAuditEvent, kind: AuditedKind, object: ReturnedObject): IdentifiedEvent[] {
  const deletion = toEvent(event, { kind, action: 'delete', object, isCertain: object.isGone })
  if (!object.isTerminating || object.resourceVersion === '') return [deletion]
  return [toEvent(event, { kind, action: 'update', object }), deletion]
}

interface Request {
  readonly kind: AuditedKind
  readonly action: Action
  readonly outcome?: 'success' | 'denied' | 'error'
  readonly code?: string
  readonly object?: ReturnedObject
  /** True if the change happened. Otherwise the row waits for the informer: an update may be a no-op, finalizers may hold a deletion. */
  readonly isCertain?: boolean
}

function toEvent(event: ClusterAuditEvent, request: Request): IdentifiedEvent {
  const { kind, action, outcome = 'success', code, object, isCertain = false } = request
  const namespace = object?.namespace || event.namespace
  const uid = object === undefined ? [] : [object.uid]
  return {
    type: clusterRequest,
    // The Audit-ID alone could be chosen twice, which would hide the second request as a repeated delivery.
    id: ['cluster-audit', event.auditId, event.delivery, action, ...uid].join('/'),
    time: event.completedAt,
    subject: {
      // For Namespace objects, the API server sets `namespace` to their own name.
      namespace: namespace === '' || kind.kind === 'Namespace' ? undefined : namespace,
      kind: kind.kind,
      name: object?.name || event.name,
      ...(object === undefined ? {} : { uid: object.uid }),
    },
    actor: accountActor(event.username),
    data: {
      action,
      outcome,
      ...(code === undefined ? {} : { code }),
      auditId: event.auditId,
      ...(object === undefined ? {} : { uid: object.uid }),
      ...(object === undefined || object.resourceVersion === '' ? {} : { resourceVersion: object.resourceVersion }),
      ...(object === undefined || isCertain ? {} : { unconfirmed: true }),
      ...(event.impersonated === undefined ? {} : { impersonated: event.impersonated }),
    },
  }
}
