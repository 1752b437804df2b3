import { RBAC_GROUP } from '../rbac/policy-rules.ts'
import { trackUpdate } from '../apply/server-side-apply.ts'
import type { User } from '../auth/user.ts'
import {
  ApiError,
  alreadyExists,
  failure,
  forbidden,
  invalid,
  notFound,
  storageUnavailable,
} from '../json/api-error.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause, Status } from '../json/status.ts'
import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import { convertIn } from '../kinds/event-conversion.ts'
import type { Kind } from '../kinds/kind.ts'
import { mayGo } from '../rules/deletion.ts'
import { createNameFaults } from '../rules/metadata-faults.ts'
import { carryMeta, sameContent, stampNew } from '../rules/metadata.ts'
import { faults } from '../rules/object-faults.ts'
import { sameIdentity, sameVersion } from '../rules/preconditions.ts'
import { strategyOf } from '../strategies/strategy-of-kind.ts'
import { bumps, isForeign, scopeTo } from '../rules/write-scope.ts'
import type { CompiledSchema } from '../schema/compile-schema.ts'
import type { Store } from '../storage/store.ts'
import { objectKey } from '../storage/stored.ts'
import type { StoredVersion } from '../storage/stored.ts'
import { checkName, decode, matchPath } from './decode-object.ts'
import { readObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { present, toVersion } from './read.ts'
import { writeOptions } from './write-options.ts'
import type { WriteOptions } from './write-options.ts'

/** Dependencies of writes. */
export interface WriteContext {
  store: Store
  now: () => Date
  checkEscalation(user: User, object: KubeObject, old?: KubeObject): Status | undefined
  /** Throws a 403 unless the caller may create the addressed object. */
  authorizeCreate(): void
}

/** A response: status code and body. */
export interface WriteResponse {
  code: number
  body: string | object
}

/** Refuses writes to a missing or terminating namespace, as the admission plugin NamespaceLifecycle. */
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

/** Each definition costs memory and time of every discovery request. */
const MAX_DEFINITIONS = 500

function limitDefinitions(store: Store, kind: Kind, name: string): void {
  if (kind.storeId !== DEFINITIONS || store.range(DEFINITIONS, '').length < MAX_DEFINITIONS) return
  throw forbidden(kind, name, `at most ${MAX_DEFINITIONS} custom resource definitions are allowed`)
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
  // As in kube-apiserver, the entry of a scale has no time.
  for (const entry of managedFields) if (entry.subresource === 'scale') delete entry.time
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: managedFields.length > 0 ? { ...metadata, managedFields } : metadata }
}

const preview = (kind: Kind, key: string, object: KubeObject): StoredVersion => {
  const { kind: name, apiVersion, ...rest } = convertIn(kind, object)
  return {
    id: kind.storeId,
    key,
    rv: 0,
    object: { kind: name, apiVersion, ...rest },
    body: JSON.stringify(rest).slice(1),
  }
}

/** Stores a new, decoded object. */
export async function insert(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  given: { object: KubeObject; options: WriteOptions; applied: boolean },
): Promise<WriteResponse> {
  const { store } = context
  const { options, applied } = given
  let { object } = given
  const asked = object.metadata.resourceVersion
  const now = context.now()
  if (kind.terminating === true)
    throw forbidden(kind, object.metadata.name, 'create not allowed while custom resource definition is terminating')
  openNamespace(store, kind, object.metadata.name, exchange.info.namespace)
  escalation(context, exchange, object)
  const nameFaults = createNameFaults(object.metadata, kind.rules.name)
  // Runs before the strategy allocates fields: an allocated address has no owner.
  if (!applied)
    object = withManagedFields(object, undefined, exchange, { schema: kind.schema, manager: options.manager, now })
  stampNew(object, kind, exchange.info.namespace, now)
  if (exchange.info.subresource === '' && kind.subresources.includes('status')) delete object['status']
  // A service that is created through its status gets no address.
  const strategy = strategyOf(kind)
  if (exchange.info.subresource === '') strategy.create?.(object, (address) => addressTaken(store, address))
  refuse(
    { ...kind, kind: object.kind },
    object.metadata.name,
    faults(object, kind, { found: nameFaults, subresource: '' }),
  )
  // A PUT or an apply that creates needs both verbs (SEC15); kube-apiserver checks it here, after validation.
  if (exchange.info.verb !== 'create') context.authorizeCreate()
  // kube-apiserver fills defaults again when it decodes the stored object: the pods of a job have labels now.
  strategy.defaults?.(object)
  strategy.stored?.(object)
  if (asked && !options.dryRun && !applied) {
    throw failure({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  const key = objectKey(kind.namespaced ? exchange.info.namespace : '', object.metadata.name)
  limitDefinitions(store, kind, object.metadata.name)
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

/** POST of an object. */
export async function createObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<WriteResponse> {
  const options = writeOptions(exchange, 'CreateOptions')
  const body = await readObject(exchange, kind.kind)
  const object = decode(body, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  return insert(context, exchange, kind, { object, options, applied: false })
}

/** PUT of an object or of its status. */
export async function replaceObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<WriteResponse> {
  const options = writeOptions(exchange, 'UpdateOptions')
  const body = await readObject(exchange, kind.kind)
  const object = decode(body, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  const stored = context.store.find(kind.storeId, keyOf(exchange, kind))
  if (!stored) {
    if (!kind.rules.createOnUpdate) throw notFound(kind, exchange.info.name)
    sameIdentity(object, undefined, kind, exchange.info.name)
    if (!options.dryRun) delete object.metadata.resourceVersion
    return insert(context, exchange, kind, { object, options, applied: false })
  }
  sameIdentity(object, stored.object.metadata.uid, kind, exchange.info.name)
  const { resourceVersion } = object.metadata
  if ((!resourceVersion || resourceVersion === '0') && !kind.rules.unconditionalUpdate) {
    const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid(kind, exchange.info.name, [cause], 'resource')
  }
  return modify(context, exchange, kind, { stored, object, options, applied: false })
}

/** Storage key of the addressed object. */
export function keyOf({ info }: Exchange, kind: Kind): string {
  checkName(info.name)
  return objectKey(kind.namespaced ? info.namespace : '', info.name)
}

/** Replaces a stored object by `object`, with validation, scope and ownership of an update. */
export async function modify(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  change: { stored: StoredVersion; object: KubeObject; options: WriteOptions; applied: boolean },
): Promise<WriteResponse> {
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
  if (kind.rules.generation && exchange.info.subresource !== 'status' && bumps(object, old, kind))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1
  escalation(context, exchange, object, old)
  const { subresource } = exchange.info
  refuse({ ...kind, kind: object.kind }, name, faults(object, kind, { found: refused, old, subresource }))
  if (foreign) delete object.metadata.managedFields
  else if (!applied)
    object = withManagedFields(object, old, exchange, { schema: kind.schema, manager: options.manager, now })
  strategy.stored?.(object, subresource === '' ? old : undefined)
  if (sameContent(object, old)) {
    if (!(await store.settled())) throw storageUnavailable()
    return { code: 200, body: present(exchange, kind, stored, now) }
  }
  const next = convertIn(kind, object)
  if (options.dryRun) return { code: 200, body: present(exchange, kind, preview(kind, stored.key, next), now) }
  const written = mayGo(kind, next) ? store.remove(stored.id, stored.key) : store.put(stored.id, stored.key, next)
  await written?.durable
  const shown = written && mayGo(kind, next) ? preview(kind, stored.key, next) : (written?.stored ?? stored)
  return { code: 200, body: present(exchange, kind, shown, now) }
}
