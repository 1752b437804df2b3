import { createHash } from 'node:crypto'
import { asObject } from '#core/json/is-object.ts'
import { isLabel, isName } from '#core/kube/names.ts'

/** One `audit.k8s.io/v1` Event reduced to the fields that the intake reads; bodies are reduced to the metadata of their objects. */
export interface ClusterAuditEvent {
  readonly auditId: string
  /** Distinguishes requests that a client sent under one Audit-ID; equal in repeated deliveries of one request. */
  readonly delivery: string
  readonly verb: string
  readonly username: string
  /** The impersonated user (`kubectl --as`). */
  readonly impersonated: string | undefined
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  /** Empty if the API server did not know it: a create that was denied before its body was read. */
  readonly name: string
  readonly code: number
  /** Reason of the Status, such as `AlreadyExists`; '' for a success. */
  readonly reason: string
  readonly isDryRun: boolean
  /** Time at which the response was complete. */
  readonly completedAt: Date
  /** resourceVersion of the submitted object, if it had one. */
  readonly sentVersion: string | undefined
  /** Response body: one object, the items of a list, or the details of a Status. */
  readonly answered: readonly ReturnedObject[]
}

/** Identity of an object in a response. */
export interface ReturnedObject {
  readonly uid: string
  readonly resourceVersion: string
  readonly namespace: string
  readonly name: string
  /** The object has a deletionTimestamp and waits for its finalizers. */
  readonly isTerminating: boolean
  /** The response was a Status: the object no longer exists. */
  readonly isGone: boolean
}

/** `malformed`: not an audit event. `incomplete`: of a stage other than ResponseComplete, or of a request that was not authenticated. */
export type ReadEvent = ClusterAuditEvent | 'malformed' | 'incomplete'

// A uid or resourceVersion is short; anything else is not copied (A8).
const token = /^[A-Za-z0-9-]{1,64}$/
const maxObjects = 1_000

/** Reads one item of an EventList; never throws. */
export function readClusterAuditEvent(item: unknown): ReadEvent {
  const event = asObject(item)
  const ref = asObject(event['objectRef'])
  const [auditId, verb, stage] = [auditIdOf(event['auditID']), text(event['verb']), text(event['stage'])]
  const username = text(asObject(event['user'])['username'])
  const completedAt = new Date(text(event['stageTimestamp']))
  if (auditId === '' || verb === '' || Number.isNaN(completedAt.getTime())) return 'malformed'
  const { code, reason } = asObject(event['responseStatus'])
  // A request with an unknown bearer token has no user. If it counted as malformed, anyone could fill the log with warnings.
  if (stage !== 'ResponseComplete' || (username === '' && code === 401)) return 'incomplete'
  if (username === '') return 'malformed'
  const request = asObject(event['requestObject'])
  return {
    auditId,
    delivery: digest(JSON.stringify([event['requestReceivedTimestamp'], event['stageTimestamp']])),
    verb,
    username,
    impersonated: text(asObject(event['impersonatedUser'])['username']) || undefined,
    group: text(ref['apiGroup']),
    resource: text(ref['resource']),
    subresource: text(ref['subresource']),
    namespace: labelOf(ref['namespace']),
    name: nameOf(ref['name']),
    code: typeof code === 'number' ? code : 0,
    reason: text(reason),
    isDryRun: isDryRun(text(event['requestURI']), request),
    completedAt,
    sentVersion: text(asObject(request['metadata'])['resourceVersion']) || undefined,
    answered: readAnswer(asObject(event['responseObject'])),
  }
}

// A client may choose its Audit-ID, with any characters and length: an event is never dropped for it.
function auditIdOf(value: unknown): string {
  const given = text(value)
  return given === '' || token.test(given) ? given : digest(given)
}

function digest(given: string): string {
  return createHash('sha256').update(given).digest('hex').slice(0, 32)
}

// In the query, or in the DeleteOptions of a delete.
function isDryRun(uri: string, request: Readonly<Record<string, unknown>>): boolean {
  const start = uri.indexOf('?')
  const inQuery = start >= 0 && new URLSearchParams(uri.slice(start + 1)).getAll('dryRun').some((value) => value !== '')
  const inOptions = request['dryRun']
  return inQuery || (Array.isArray(inOptions) && inOptions.length > 0)
}

function readAnswer(answer: Readonly<Record<string, unknown>>): readonly ReturnedObject[] {
  const items = answer['items']
  if (Array.isArray(items)) return items.slice(0, maxObjects).flatMap((item) => readObject(asObject(item)))
  if (answer['kind'] === 'Status') return readDetails(asObject(answer['details']))
  return readObject(answer)
}

function readObject(object: Readonly<Record<string, unknown>>): ReturnedObject[] {
  const { uid, resourceVersion, name, namespace, deletionTimestamp } = asObject(object['metadata'])
  if (typeof uid !== 'string' || !token.test(uid)) return []
  return [
    {
      uid,
      resourceVersion: versionOf(resourceVersion),
      namespace: labelOf(namespace),
      name: nameOf(name),
      isTerminating: typeof deletionTimestamp === 'string',
      isGone: false,
    },
  ]
}

function readDetails({ uid, name }: Readonly<Record<string, unknown>>): ReturnedObject[] {
  if (typeof uid !== 'string' || !token.test(uid)) return []
  return [{ uid, resourceVersion: '', namespace: '', name: nameOf(name), isTerminating: false, isGone: true }]
}

function versionOf(value: unknown): string {
  return typeof value === 'string' && /^[0-9]{1,64}$/.test(value) ? value : ''
}

function labelOf(value: unknown): string {
  return typeof value === 'string' && isLabel(value) ? value : ''
}

function nameOf(value: unknown): string {
  return typeof value === 'string' && isName(value) ? value : ''
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
