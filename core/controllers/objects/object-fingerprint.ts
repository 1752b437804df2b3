import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import type { KubeObject, ManagedFields } from '#core/kube/client.ts'
import { readFields } from './audited-fields.ts'
import { readIndexed } from './indexed-fields.ts'
import type { Informer } from '../watch/declarations.ts'
import type { AuditedFields, IndexedFields, ObjectProblems } from '#core/cluster/object-index-tables.ts'
import { conditionProblems } from './object-problems.ts'

/** Properties of an object that the informer stores and reports; never its content. */
export interface Observation {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  readonly contentHash: string
  readonly generation: number | undefined
  readonly actorGuess: string | undefined
  readonly error: 'malformed_object' | undefined
  /** Values of the informer's audited fields; undefined if they were not read. */
  readonly audited: AuditedFields | undefined
  /** The informer's indexed fields; undefined if they were not read, or if the kind has none. */
  readonly spec: IndexedFields | undefined
  /** Conditions that are not as they should be; undefined if they were not read. */
  readonly problems: ObjectProblems | undefined
}

const unread = { audited: undefined, spec: undefined } as const

/** Reads an object; undefined without a uid or name, its keys in the index (A11). */
export function observe(
  object: KubeObject,
  { audited: auditedFields = [], indexed = [] }: Pick<Informer, 'audited' | 'indexed'> = {},
): Observation | undefined {
  const { metadata } = object
  if (!isText(metadata?.uid) || !isText(metadata.name) || !isText(metadata.resourceVersion)) return undefined
  const identity = {
    uid: metadata.uid,
    name: metadata.name,
    namespace: isText(metadata.namespace) ? metadata.namespace : '',
    resourceVersion: metadata.resourceVersion,
    generation: Number.isSafeInteger(metadata.generation) ? metadata.generation : undefined,
    problems: conditionProblems(object),
  }
  try {
    const actorGuess = newestManager(metadata.managedFields ?? [])
    const audited = readFields(object, auditedFields)
    const spec = indexed.length === 0 ? undefined : readIndexed(object, indexed)
    return { ...identity, contentHash: hash(contentOf(object)), actorGuess, error: undefined, audited, spec }
  } catch {
    // Invalid labels or managedFields: the whole JSON is hashed instead of the content.
    const contentHash = hash(JSON.stringify(object))
    return { ...identity, contentHash, actorGuess: undefined, error: 'malformed_object', ...unread }
  }
}

/** Content whose change produces an event: everything except status and managedFields (A4). */
function contentOf(object: KubeObject): string {
  const { apiVersion: _version, kind: _kind, metadata, status: _status, ...rest } = object
  const { labels, annotations, finalizers, deletionTimestamp } = metadata
  for (const map of [labels, annotations]) if (map !== undefined && !isObject(map)) throw new TypeError('no map')
  // The API server may return keys in another order for the same object.
  return canonicalJson({ ...rest, labels, annotations, finalizers, deletionTimestamp })
}

function newestManager(entries: readonly ManagedFields[]): string | undefined {
  const written = entries.filter((entry) => entry.subresource !== 'status' && isText(entry.manager))
  return written
    .toSorted((a, b) => String(a.time).localeCompare(String(b.time)))
    .at(-1)
    ?.manager?.slice(0, 128)
}

/** Actor name of a guess from managed fields: `manager:kubectl`. The prefix distinguishes it from accounts (decision 2). */
export function guessedActor(fieldManager: string): string {
  return `manager:${fieldManager}`
}

/**
 * Id of the event of a change, equal for every replica and replay (A4). A uid is created and deleted once, and updated once per version.
 * Formatted as an RFC 9562 UUID of version 8.
 */
export function eventId(
  informer: Informer,
  verb: 'create' | 'update' | 'delete',
  seen: Pick<Observation, 'uid' | 'resourceVersion'>,
): string {
  const { group } = informer.resource
  const parts = [group, informer.resourceKind, seen.uid, ...(verb === 'update' ? [seen.resourceVersion] : []), verb]
  const hex = createHash('sha256').update(parts.join('\0')).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
