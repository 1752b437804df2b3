import { accountActor, type NewEvent } from '#core/events/event.ts'
import { type ClusterRequest, clusterRequest } from '../events.ts'
import { type AnsweredObject, type ClusterAuditEvent, readClusterAuditEvent } from './cluster-audit-event.ts'

/** Kinds that are audited, by `group/plural`. */
export type AuditedKinds = ReadonlyMap<string, AuditedKind>

/** One of them. `observed`: an informer follows it, and a row of a change is the informer's. */
export interface AuditedKind {
  readonly kind: string
  readonly observed: boolean
}

/** What became of the items of an EventList. `unusable`: a change without the object that it made (level too low, truncated). */
export type Sorted = Readonly<Record<'ignored' | 'malformed' | 'unusable', number>> & {
  readonly events: readonly IdentifiedEvent[]
}

/** An event with the id that makes a repeated delivery one (A4). */
export type IdentifiedEvent = NewEvent<ClusterRequest> & { readonly id: string }

/** Turns the items of an EventList into events; each item is judged alone. Pure. */
export function toClusterRequests(items: readonly unknown[], kinds: AuditedKinds): Sorted {
  const counts = { ignored: 0, malformed: 0, unusable: 0 }
  const events = items.flatMap((item) => {
    const read = readClusterAuditEvent(item)
    const made = read === 'malformed' ? 'malformed' : read === 'incomplete' ? 'ignored' : eventsOf(read, kinds)
    if (typeof made !== 'string') return made
    counts[made]++
    return []
  })
  return { events, ...counts }
}

const changes: Readonly<Record<string, 'create' | 'update' | 'delete'>> = {
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
  // Another subresource is a request of its own kind, unless it changes the object (`scale`, `finalize`).
  if (event.subresource !== '' && action !== 'update') return 'ignored'
  if (event.code === 403) return [toEvent(event, { kind, action, outcome: 'denied' })]
  if (event.code < 200 || event.code > 299) return 'ignored'
  if (!kind.observed) return [toEvent(event, { kind, action, outcome: 'success' })]
  return changesOf(event, kind, action)
}

function changesOf(event: ClusterAuditEvent, kind: AuditedKind, action: 'create' | 'update' | 'delete'): Made {
  const { answered } = event
  const isCollection = event.verb === 'deletecollection'
  if (answered.length === 0) return isCollection ? 'ignored' : 'unusable'
  if (action === 'delete') return answered.flatMap((object) => deletionsOf(event, kind, object))
  const [object] = answered
  if (object === undefined || object.resourceVersion === '') return 'unusable'
  // An apply of an object that did not exist.
  if (action === 'create' || event.code === 201)
    return [toEvent(event, { kind, action: 'create', object, isCertain: true })]
  // The answer has the version that was sent: nothing was changed.
  if (object.resourceVersion === event.sentVersion) return 'ignored'
  return [toEvent(event, { kind, action: 'update', object })]
}

// Held by finalizers the object was marked, which is an update; its later removal is this caller's too.
function deletionsOf(event: ClusterAuditEvent, kind: AuditedKind, object: AnsweredObject): IdentifiedEvent[] {
  const deletion = toEvent(event, { kind, action: 'delete', object, isCertain: object.isGone })
  if (!object.isTerminating || object.resourceVersion === '') return [deletion]
  return [toEvent(event, { kind, action: 'update', object }), deletion]
}

interface Request {
  readonly kind: AuditedKind
  readonly action: 'create' | 'update' | 'delete'
  readonly outcome?: 'success' | 'denied'
  readonly object?: AnsweredObject
  /** The change happened. Otherwise the row waits for the informer: an update may have changed nothing, a deletion may be held. */
  readonly isCertain?: boolean
}

function toEvent(event: ClusterAuditEvent, request: Request): IdentifiedEvent {
  const { kind, action, outcome = 'success', object, isCertain = false } = request
  const namespace = object?.namespace || event.namespace
  return {
    type: clusterRequest,
    id: ['cluster-audit', event.auditId, action, ...(object === undefined ? [] : [object.uid])].join('/'),
    time: event.completedAt,
    subject: {
      // The API server gives a Namespace object the namespace that it is.
      namespace: namespace === '' || kind.kind === 'Namespace' ? undefined : namespace,
      kind: kind.kind,
      name: object?.name || event.name,
      ...(object === undefined ? {} : { uid: object.uid }),
    },
    actor: accountActor(event.username),
    data: {
      action,
      outcome,
      auditId: event.auditId,
      ...(object === undefined ? {} : { uid: object.uid }),
      ...(object === undefined || object.resourceVersion === '' ? {} : { resourceVersion: object.resourceVersion }),
      ...(object === undefined || isCertain ? {} : { unconfirmed: true }),
      ...(event.impersonated === undefined ? {} : { impersonated: event.impersonated }),
    },
  }
}
