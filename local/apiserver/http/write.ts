import type { Cause, CompiledSchema, KubeObject, Status, User } from '../contract.ts'
import { objectSchema, trackUpdate } from '../apply/apply.ts'
import { typedFaults } from '../apply/typed-faults.ts'
import { convertIn } from '../objects/event-conversion.ts'
import { mayGo } from '../objects/deletion.ts'
import type { Kind } from '../objects/kind.ts'
import {
  assign,
  carryMeta,
  createNameFaults,
  invalidValue,
  metaFaults,
  part,
  sameContent,
  sameSpec,
  stampNew,
} from '../objects/meta.ts'
import { strategyOf } from '../objects/strategy.ts'
import { equalJson } from '../patch/json-value.ts'
import { ApiError, MODIFIED, alreadyExists, conflict, failure, forbidden, invalid, notFound } from '../status.ts'
import { objectKey } from '../storage/store.ts'
import type { Store, Stored } from '../storage/store.ts'
import { readObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { present, toVersion } from './read.ts'
import { writeOptions } from './write-options.ts'
import { checkName, decode, kindFaults, matchPath } from './write-decode.ts'
import type { WriteOptions } from './write-options.ts'

/** What writes need besides the request. */
export interface WriteContext {
  store: Store
  now: () => Date
  checkEscalation(user: User, object: KubeObject, old?: KubeObject): Status | undefined
}

/** An answer: status code and body. */
export interface Answer {
  code: number
  body: string | object
}

/** Kinds that do not look at their metadata: the general rules do, on a create once all else is good. */
const META_LAST = new Set(['/events', 'policy/poddisruptionbudgets'])
/** Kinds whose validation leaves finalizers to the general rules. */
const OWN_FINALIZERS = new Set(['coordination.k8s.io/leases', ...META_LAST])
const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** The admission of the real server that everything in a namespace passes. */
function openNamespace(store: Store, kind: Kind, name: string, namespace: string): void {
  if (!kind.namespaced) return
  const found = store.find('/namespaces', namespace)
  if (!found) throw notFound({ group: '', resource: 'namespaces', kind: 'Namespace' }, namespace)
  if (!found.object.metadata.deletionTimestamp) return
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  throw forbidden(kind, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    cause,
  ])
}

function refuse(kind: Kind, name: string, causes: readonly Cause[]): void {
  if (causes.length > 0) throw invalid(kind, name, causes)
}

function escalation(context: WriteContext, exchange: Exchange, object: KubeObject, old?: KubeObject): void {
  if (exchange.info.group !== RBAC_GROUP) return
  const refused = context.checkEscalation(exchange.user, object, old)
  if (refused) throw new ApiError(refused)
}

function withManagedFields(
  object: KubeObject,
  before: KubeObject | undefined,
  exchange: Exchange,
  { schema, manager, now }: { schema: CompiledSchema; manager: string; now: Date },
): KubeObject {
  const managedFields = trackUpdate({
    before,
    after: object,
    manager,
    subresource: exchange.info.subresource,
    schema,
    now,
  })
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: managedFields.length > 0 ? { ...metadata, managedFields } : metadata }
}

const preview = (kind: Kind, key: string, object: KubeObject): Stored => {
  const { kind: name, apiVersion, ...rest } = convertIn(kind, object)
  return {
    id: kind.storeId,
    key,
    rv: 0,
    object: { kind: name, apiVersion, ...rest },
    body: JSON.stringify(rest).slice(1),
  }
}

/** Stores a new object; the caller has decoded it and knows its managed fields. */
export async function insert(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  given: { object: KubeObject; options: WriteOptions; applied: boolean },
): Promise<Answer> {
  const { store } = context
  const { options, applied } = given
  let { object } = given
  const asked = object.metadata.resourceVersion
  const now = context.now()
  openNamespace(store, kind, object.metadata.name, exchange.info.namespace)
  escalation(context, exchange, object)
  const nameFaults = createNameFaults(object.metadata, kind.rules.name)
  // Before the kind fills in what nobody asked for: an allocated address has no owner.
  if (!applied)
    object = withManagedFields(object, undefined, exchange, { schema: kind.schema, manager: options.manager, now })
  stampNew(object, kind, exchange.info.namespace, now)
  if (exchange.info.subresource === '' && kind.subresources.includes('status')) delete object['status']
  // A service that begins with its status is given no address.
  const strategy = strategyOf(kind)
  if (exchange.info.subresource === '') strategy.create?.(object, (address) => addressTaken(store, address))
  refuse({ ...kind, kind: object.kind }, object.metadata.name, faults(object, kind, nameFaults))
  // What comes back out of storage is defaulted once more: by now a job's pods have labels.
  strategy.defaults?.(object)
  if (asked && !options.dryRun && !applied) {
    throw failure({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  const key = objectKey(kind.namespaced ? exchange.info.namespace : '', object.metadata.name)
  const existing = store.find(kind.storeId, key)
  if (existing)
    throw alreadyExists(kind, object.metadata.name, existing.object.metadata.deletionTimestamp !== undefined)
  if (options.dryRun) {
    if (asked) object.metadata.resourceVersion = asked
    return { code: 201, body: present(exchange, kind, preview(kind, key, object), now) }
  }
  const written = store.put(kind.storeId, key, convertIn(kind, object))
  await written.durable
  return { code: 201, body: present(exchange, kind, written.stored, now) }
}

function addressTaken(store: Store, address: string): boolean {
  return store.range('/services', '').some((stored) => part(stored.object, 'spec')['clusterIP'] === address)
}

/** Of a built-in object nobody checks whether its controller's status is whole, nor, past decoding, any type. */
const isChecked = ({ reason, field }: Cause): boolean =>
  reason !== 'FieldValueTypeInvalid' && (reason !== 'FieldValueRequired' || !field?.startsWith('status.'))

/** Everything that is wrong with an object, after what was found before. */
function faults(object: KubeObject, kind: Kind, found: readonly Cause[], old?: KubeObject): Cause[] {
  const ofSchema = kind.schema.validate(object, old).filter((cause) => kind.custom || isChecked(cause))
  const own = strategyOf(kind).validate?.(object, old) ?? []
  const another = kindFaults(object, kind)
  // An object of another kind is not held against this one's schema, its lists apart.
  const judged =
    another.length > 0
      ? ofSchema.filter((each) => each.reason === 'FieldValueDuplicate')
      : ofSchema.filter(
          ({ field }) => !own.some((each) => each.reason === 'FieldValueRequired' && each.field === field),
        )
  const content = [...judged, ...own]
  if (!old && content.length > 0 && META_LAST.has(kind.storeId)) return content
  const general = kind.custom || OWN_FINALIZERS.has(kind.storeId)
  return [...found, ...another, ...metaFaults(object.metadata, general), ...content]
}

/** POST of an object. */
export async function createObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<Answer> {
  const options = writeOptions(exchange, 'CreateOptions')
  const body = await readObject(exchange, kind.kind)
  const object = decode(body, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  return insert(context, exchange, kind, { object, options, applied: false })
}

/** PUT of an object or of its status. */
export async function replaceObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<Answer> {
  const options = writeOptions(exchange, 'UpdateOptions')
  const body = await readObject(exchange, kind.kind)
  const object = decode(body, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  const stored = context.store.find(kind.storeId, keyOf(exchange, kind))
  if (!stored) {
    if (!kind.rules.createOnUpdate) throw notFound(kind, exchange.info.name)
    sameIdentity(object, undefined, exchange, { kind, dryRun: options.dryRun })
    if (!options.dryRun) delete object.metadata.resourceVersion
    return insert(context, exchange, kind, { object, options, applied: false })
  }
  sameIdentity(object, stored.object.metadata.uid, exchange, { kind, dryRun: options.dryRun })
  const { resourceVersion } = object.metadata
  if ((!resourceVersion || resourceVersion === '0') && !kind.rules.unconditionalUpdate) {
    const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid(kind, exchange.info.name, [cause], 'resource')
  }
  return modify(context, exchange, kind, { stored, object, options, applied: false })
}

/** Where the addressed object is stored. */
export function keyOf({ info }: Exchange, kind: Kind): string {
  checkName(info.name)
  return objectKey(kind.namespaced ? info.namespace : '', info.name)
}

/** Replaces a stored object by `object`, through every rule of an update. */
export async function modify(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  change: { stored: Stored; object: KubeObject; options: WriteOptions; applied: boolean },
): Promise<Answer> {
  const { stored, options, applied } = change
  const { store } = context
  const now = context.now()
  const { name } = exchange.info
  const old = toVersion(stored.object, kind)
  sameVersion(change.object, old, kind)
  const foreign = isForeign(change.object, kind, exchange.info.subresource)
  const refused = carryMeta(change.object, old)
  let object = scopeTo(exchange.info.subresource, change.object, old, kind)
  const strategy = strategyOf(kind)
  if (exchange.info.subresource === '') strategy.update?.(object, old)
  if (exchange.info.subresource === 'status') strategy.updateStatus?.(object, old)
  if (kind.rules.generation && exchange.info.subresource === '' && bumps(object, old, kind))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1
  escalation(context, exchange, object, old)
  refuse({ ...kind, kind: object.kind }, name, faults(object, kind, refused, old))
  if (foreign) delete object.metadata.managedFields
  else if (!applied)
    object = withManagedFields(object, old, exchange, { schema: kind.schema, manager: options.manager, now })
  if (sameContent(object, old)) {
    await store.settled()
    return { code: 200, body: present(exchange, kind, stored, now) }
  }
  const next = convertIn(kind, object)
  if (options.dryRun) return { code: 200, body: present(exchange, kind, preview(kind, stored.key, next), now) }
  const written = mayGo(kind, next) ? store.remove(stored.id, stored.key) : store.put(stored.id, stored.key, next)
  await written?.durable
  const shown = written && mayGo(kind, next) ? preview(kind, stored.key, next) : (written?.stored ?? stored)
  return { code: 200, body: present(exchange, kind, shown, now) }
}

/** A uid in the body is a precondition, checked before anything else; an object that is not there has none. */
function sameIdentity(
  { metadata: { uid } }: KubeObject,
  actual: string | undefined,
  { info }: Exchange,
  { kind, dryRun }: { kind: Kind; dryRun: boolean },
): void {
  if (!uid || uid === actual) return
  const folder = kind.custom ? kind.storeId : kind.storeId === '/services' ? 'services/specs' : kind.resource
  // A dry run asks before the key has the root of all keys.
  const key = `${dryRun ? '' : '/registry'}/${folder}/${objectKey(kind.namespaced ? info.namespace : '', info.name)}`
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual ?? ''}`
  throw conflict(
    kind,
    info.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  )
}

/** Optimistic concurrency. */
function sameVersion(object: KubeObject, old: KubeObject, kind: Kind): void {
  const { resourceVersion } = object.metadata
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    throw failure({
      code: 500,
      message: `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    })
  }
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(kind, old.metadata.name, MODIFIED)
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
}

/** Only a status write may come in an object whose fields cannot be typed; whose they are is then forgotten. */
function isForeign(object: KubeObject, kind: Kind, subresource: string): boolean {
  if (!kind.custom || subresource !== 'status') return false
  return object.kind !== kind.kind || typedFaults(object, objectSchema(kind.schema.schema)).length > 0
}

/** What a status write takes besides the status: nothing of a custom object, the metadata of a built-in one. */
function statusWrite(kept: KubeObject, { metadata }: KubeObject, kind: Kind): KubeObject {
  if (kind.custom) return kept
  const { labels, ownerReferences } = kept.metadata
  const next = { ...kept, metadata: { ...metadata } }
  if (kind.storeId === 'apps/deployments') assign(next.metadata, { labels })
  if (kind.storeId === '/pods') assign(next.metadata, { ownerReferences })
  return next
}

/** What the path may change: `status` alone, the finalizers of a namespace, or everything but the status. */
function scopeTo(subresource: string, object: KubeObject, old: KubeObject, kind: Kind): KubeObject {
  const { managedFields } = object.metadata
  const kept = { ...old, metadata: { ...old.metadata, ...(managedFields ? { managedFields } : {}) } }
  if (subresource === 'status') return withKey(statusWrite(kept, object, kind), 'status', object)
  if (subresource === 'finalize') return withKey(kept, 'spec', object)
  return kind.subresources.includes('status') ? withKey({ ...object }, 'status', old) : object
}

function withKey(target: KubeObject, key: 'status' | 'spec', source: KubeObject): KubeObject {
  if (source[key] === undefined) delete target[key]
  else target[key] = source[key]
  return target
}

function bumps(object: KubeObject, old: KubeObject, kind: Kind): boolean {
  if (!kind.subresources.includes('status') && !equalJson(object['status'], old['status'])) return true
  if (!sameSpec(object, old)) return true
  // A deployment's annotations are part of what its controller acts on.
  return kind.storeId === 'apps/deployments' && !equalJson(object.metadata.annotations, old.metadata.annotations)
}
