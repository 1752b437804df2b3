import type { Cause, CompiledSchema, Json, JsonObject, KubeObject, Status, User } from '../contract.ts'
import { applyPatch, objectSchema, trackUpdate } from '../apply/apply.ts'
import { typedFaults } from '../apply/typed-faults.ts'
import { convertIn } from '../objects/event-conversion.ts'
import { mayGo } from '../objects/deletion.ts'
import type { Kind } from '../objects/kinds.ts'
import {
  carryMeta,
  cleanMeta,
  createNameFaults,
  metaFaults,
  part,
  sameContent,
  sameSpec,
  stampNew,
} from '../objects/meta.ts'
import { builtinSchema } from '../schema/builtin.ts'
import { decodeFault, dropEmpty } from '../schema/decode.ts'
import { strategyOf } from '../objects/strategy.ts'
import { equalJson, isObject } from '../patch/json-value.ts'
import { applyBodyPatch } from '../patch/patch.ts'
import {
  ApiError,
  MODIFIED,
  alreadyExists,
  badRequest,
  conflict,
  failure,
  forbidden,
  invalid,
  notFound,
  orThrow,
  unsupportedMediaType,
} from '../status.ts'
import { objectKey } from '../storage/store.ts'
import type { Store, Stored } from '../storage/store.ts'
import { asKubeObject, mediaType, parse, readBody, readObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { present, toVersion } from './read.ts'
import { writeOptions } from './write-options.ts'
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

const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** Checks kind and version of a body against what the path addresses; built-in kinds may leave both out. */
function identify(body: JsonObject, kind: Kind): KubeObject {
  const { apiVersion, kind: name } = body
  if (kind.custom && !name) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): Object 'Kind' is missing in '${JSON.stringify(body)}' (${JSON.stringify(body)})`,
    )
  }
  const given = asKubeObject({
    ...body,
    kind: name || kind.kind,
    apiVersion: apiVersion || (kind.custom ? '' : kind.apiVersion),
  })
  if (!kind.custom && (given.apiVersion !== kind.apiVersion || given.kind !== kind.kind)) throw anotherKind(given, kind)
  if (given.apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    )
  }
  return given
}

/** A built-in object is decoded before anything else: one of another kind says so in Go's words. */
function anotherKind(given: KubeObject, kind: Kind): ApiError {
  const [version, group = ''] = given.apiVersion.split('/').toReversed()
  const known = version === 'v1' && builtinSchema(group, given.kind) !== undefined
  const why = known
    ? `converting (${version}.${given.kind}) to (${kind.group === '' ? 'core.' : ''}${kind.kind}): unknown conversion`
    : `no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
  return badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: ${why}`)
}

/** A custom object of another kind gets as far as validation. */
function kindFaults(object: KubeObject, kind: Kind): Cause[] {
  if (object.kind === kind.kind) return []
  const message = `Invalid value: ${JSON.stringify(object.kind)}: must be ${kind.kind}`
  return [{ reason: 'FieldValueInvalid', message, field: 'kind' }]
}

/** Decodes a body as the kind: unknown fields are refused, warned of or dropped; defaults are filled. */
function decode(body: JsonObject, kind: Kind, options: WriteOptions, warnings: string[]): KubeObject {
  const given = identify(body, kind)
  const fault = kind.custom ? undefined : decodeFault(given, kind.schema.schema, { kind: kind.kind, path: '' })
  if (fault) {
    throw badRequest(
      `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${fault}`,
    )
  }
  const { meta, unknown } = cleanMeta(body['metadata'], kind)
  // A custom object of another kind has no schema to be judged by; validation will say so.
  if (options.fieldValidation !== 'Ignore' && given.kind === kind.kind) {
    const fields = [...new Set([...unknown, ...kind.schema.unknownFields(given)])]
      .sort()
      .map((field) => `unknown field ${JSON.stringify(field)}`)
    if (fields.length > 0 && options.fieldValidation === 'Strict') {
      throw badRequest(
        `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: strict decoding error: ${fields.join(', ')}`,
      )
    }
    warnings.push(...fields)
  }
  return complete({ ...given, metadata: meta }, kind)
}

function complete(object: KubeObject, kind: Kind): KubeObject {
  const { metadata } = object
  const pruned = kind.schema.prune(object)
  const whole = kind.schema.default({ ...pruned, metadata })
  strategyOf(kind).defaults?.(whole)
  if (!kind.custom) dropEmpty(whole, kind.schema.schema)
  return whole
}

/** Refuses a name or namespace in the body that is not the one in the path. */
function matchPath(object: KubeObject, exchange: Exchange, kind: Kind): void {
  const { namespace, name } = exchange.info
  if (kind.namespaced && object.metadata.namespace && object.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (name && !object.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (name && object.metadata.name !== name) {
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`)
  }
  if (kind.namespaced) object.metadata.namespace = namespace
}

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
async function insert(
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
  if (kind.subresources.includes('status')) delete object['status']
  strategyOf(kind).create?.(object, (address) => addressTaken(store, address))
  refuse({ ...kind, kind: object.kind }, object.metadata.name, [...nameFaults, ...faults(object, kind)])
  if (asked && !options.dryRun && !applied) {
    throw failure({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  const key = objectKey(kind.namespaced ? exchange.info.namespace : '', object.metadata.name)
  const existing = store.find(kind.storeId, key)
  if (existing)
    throw alreadyExists(kind, object.metadata.name, existing.object.metadata.deletionTimestamp !== undefined)
  if (options.dryRun) return { code: 201, body: present(exchange, kind, preview(kind, key, object), now) }
  const written = store.put(kind.storeId, key, convertIn(kind, object))
  await written.durable
  return { code: 201, body: present(exchange, kind, written.stored, now) }
}

function addressTaken(store: Store, address: string): boolean {
  return store.range('/services', '').some((stored) => part(stored.object, 'spec')['clusterIP'] === address)
}

function faults(object: KubeObject, kind: Kind, old?: KubeObject): Cause[] {
  const ofSchema = kind.schema.validate(object, old)
  const own = strategyOf(kind).validate?.(object, old) ?? []
  const another = kindFaults(object, kind)
  // An object of another kind is not held against this one's schema, its lists apart.
  const judged = another.length > 0 ? ofSchema.filter((each) => each.reason === 'FieldValueDuplicate') : ofSchema
  return [
    ...another,
    ...metaFaults(object.metadata, kind.custom || kind.group === 'coordination.k8s.io'),
    ...judged,
    ...own,
  ]
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
    if (!kind.rules.createOnUpdate || exchange.info.subresource) throw notFound(kind, exchange.info.name)
    delete object.metadata.resourceVersion
    return insert(context, exchange, kind, { object, options, applied: false })
  }
  const { resourceVersion } = object.metadata
  if ((!resourceVersion || resourceVersion === '0') && !kind.rules.unconditionalUpdate) {
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0: must be specified for an update',
      field: 'metadata.resourceVersion',
    }
    throw invalid(kind, exchange.info.name, [cause], 'resource')
  }
  return modify(context, exchange, kind, { stored, object, options, applied: false })
}

const keyOf = (exchange: Exchange, kind: Kind) =>
  objectKey(kind.namespaced ? exchange.info.namespace : '', exchange.info.name)

/** Replaces a stored object by `object`, through every rule of an update. */
async function modify(
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
  sameObject(change.object, old, kind, stored)
  const refused = carryMeta(change.object, old, kind.custom)
  let object = scopeTo(exchange.info.subresource, change.object, old, kind)
  if (exchange.info.subresource === '') strategyOf(kind).update?.(object, old)
  if (kind.rules.generation && bumps(object, old, kind)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
  escalation(context, exchange, object, old)
  refuse({ ...kind, kind: object.kind }, name, [...refused, ...faults(object, kind, old)])
  if (!applied)
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

/** Optimistic concurrency and identity. */
function sameObject(object: KubeObject, old: KubeObject, kind: Kind, stored: Stored): void {
  const { resourceVersion, uid } = object.metadata
  const { name } = old.metadata
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    throw failure({
      code: 500,
      message: `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    })
  }
  if (uid && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${`/${stored.id}/${stored.key}`.replace('//', '/')}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
    )
  }
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(kind, name, MODIFIED)
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
}

/** What the path may change: `status` alone, the finalizers of a namespace, or everything but the status. */
function scopeTo(subresource: string, object: KubeObject, old: KubeObject, kind: Kind): KubeObject {
  const { managedFields } = object.metadata
  const kept = { ...old, metadata: { ...old.metadata, ...(managedFields ? { managedFields } : {}) } }
  if (subresource === 'status') return withKey(kept, 'status', object)
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

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
  'application/strategic-merge-patch+json': 'strategic',
} as const

/** PATCH of an object or of its status, by any of the four content types. */
export async function patchObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<Answer> {
  const offered = Object.entries(PATCH_TYPES).filter(([, type]) => type !== 'strategic' || !kind.custom)
  const found = offered.find(([media]) => media === mediaType(exchange.request))
  if (!found) throw unsupportedMediaType(offered.map(([media]) => media))
  const options = writeOptions(exchange, 'PatchOptions', found[1] === 'apply')
  const text = await readBody(exchange.request)
  const stored = context.store.find(kind.storeId, keyOf(exchange, kind))
  if (found[1] === 'apply') return applyObject(context, exchange, kind, { text, options, stored })
  if (!stored) throw notFound(kind, exchange.info.name)
  const live = toVersion(stored.object, kind)
  const patched = orThrow(applyBodyPatch(found[1], live, parsePatch(text)))
  const object = decodePatched(patched, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  return modify(context, exchange, kind, { stored, object, options, applied: false })
}

/** Decodes a patched object: what is strictly refused is the fault of the patch, which the answer says. */
function decodePatched(patched: KubeObject, kind: Kind, options: WriteOptions, warnings: string[]): KubeObject {
  const given = structuredClone(patched)
  try {
    return decode(patched, kind, options, warnings)
  } catch (error) {
    const strict =
      error instanceof ApiError
        ? /(?:strict decoding error|json|illegal base64).*$/s.exec(error.message)?.[0]
        : undefined
    if (strict === undefined) throw error
    const shown = JSON.stringify(JSON.stringify(sortKeys(given)))
    const cause = { reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${strict}`, field: 'patch' }
    throw failure({
      code: 422,
      reason: 'Invalid',
      message: ` "" is invalid: patch: ${cause.message}`,
      details: { causes: [cause] },
    })
  }
}

/** A copy with the keys of every object in order, as Go prints maps. */
function sortKeys(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  )
}

function parsePatch(text: string) {
  try {
    return parse(text, false)
  } catch (error) {
    const why =
      error instanceof Error ? error.message.replace('json parse error: ', '').replace(/ \((?:<empty>|.*)\)$/s, '') : ''
    throw badRequest(`error decoding patch: ${why}`)
  }
}

async function applyObject(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  given: { text: string; options: WriteOptions; stored: Stored | undefined },
): Promise<Answer> {
  const { options, stored } = given
  const body = parseApply(given.text)
  const patch = declared(body, kind)
  if (!stored && patch.metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${patch.metadata.uid}, and no existing object was found`
    throw conflict(kind, exchange.info.name, why)
  }
  matchPath(patch, exchange, kind)
  if (patch.metadata.managedFields) throw badRequest('metadata.managedFields must be nil')
  if (!stored && exchange.info.subresource) throw notFound(kind, exchange.info.name)
  const live = stored && toVersion(stored.object, kind)
  const { manager, force } = options
  const result = applyPatch({
    live,
    patch,
    manager,
    force,
    schema: kind.schema,
    subresource: exchange.info.subresource,
    now: context.now(),
  })
  if ('conflict' in result)
    throw failure({ code: 409, reason: 'Conflict', message: result.message, details: { causes: result.conflict } })
  const { managedFields, ...applied } = result.object.metadata
  const object = complete(structuredClone({ ...result.object, metadata: cleanMeta(applied, kind).meta }), kind)
  if (managedFields) object.metadata.managedFields = managedFields
  const change = { object, options, applied: true }
  return stored ? modify(context, exchange, kind, { stored, ...change }) : insert(context, exchange, kind, change)
}

function parseApply(text: string): JsonObject {
  try {
    const body = parse(text, true)
    if (isObject(body)) return body
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw badRequest('error decoding YAML: the body is not an object')
}

/** An apply's body: an unknown field has no place among typed fields, whatever the validation asked for; nothing is defaulted. */
function declared(body: JsonObject, kind: Kind): KubeObject {
  if (!body['kind'] || !body['apiVersion'])
    throw badRequest(`invalid object type: ${body['apiVersion'] ?? ''}/, Kind=${body['kind'] ?? ''}`)
  if (body['apiVersion'] !== kind.apiVersion || body['kind'] !== kind.kind) {
    const version = asText(body['apiVersion'])
    throw badRequest(
      `invalid object type: ${version.includes('/') ? version : `/${version}`}, Kind=${asText(body['kind'])}`,
    )
  }
  const given = identify(body, kind)
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  const untyped = typedFaults({ ...body, metadata }, objectSchema(kind.schema.schema))
  if (untyped.length === 0) {
    const undecodable = kind.custom ? undefined : decodeFault(given, kind.schema.schema, { kind: kind.kind, path: '' })
    if (undecodable) {
      const of = `${kind.group ? kind.apiVersion : `/${kind.apiVersion}`}, Kind=${kind.kind}`
      const named = `${asText(metadata['namespace'])}/${asText(metadata['name'])}`
      const message = `failed to convert new object (${named}; ${of}) to proper version: unable to convert unstructured object to ${of}: error decoding from json: ${undecodable}`
      throw failure({ code: 500, message })
    }
    const { meta } = cleanMeta(body['metadata'], kind)
    // An empty map that is applied is owned, though it is not stored.
    for (const key of ['labels', 'annotations'] as const) {
      const value = isObject(body['metadata']) ? body['metadata'][key] : undefined
      if (isObject(value) && Object.keys(value).length === 0) meta[key] = {}
    }
    return { ...given, metadata: meta }
  }
  const all = untyped.length === 1 ? untyped[0] : `errors:\n  ${untyped.join('\n  ')}`
  const version = kind.group ? kind.apiVersion : `/${kind.apiVersion}`
  const of = `${asText(metadata['namespace'])}/${asText(metadata['name'])}; ${version}, Kind=${kind.kind}`
  throw failure({ code: 500, message: `failed to create typed patch object (${of}): ${all}` })
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
