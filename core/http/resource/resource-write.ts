import type { KubeObject, ObjectRef, WriteOptions } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import type { Call } from '../endpoint/endpoint.ts'
import type { PathNames } from '../endpoint/path-params.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isUnchanged, readIfMatch, setEtag } from '../reply/etag.ts'
import { toResource } from './resource-schemas.ts'
import type { RoutedKind } from './resource-schemas.ts'

type WriteCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'headers' | 'reply' | 'signal'>

/** An object as sent in a body. */
export interface SentObject {
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly [field: string]: unknown
  }
  readonly spec: unknown
}

/** Namespace and name of the object of a call. */
export function refOf(kind: RoutedKind, params: Partial<PathNames>): ObjectRef {
  const namespace = params.ns ?? params.namespace
  if (params.name === undefined) throw new TypeError('the route has no parameter name')
  return kind.scope === 'Cluster' || namespace === undefined ? { name: params.name } : { namespace, name: params.name }
}

/** Reads an object as the caller. `ETag` is its version; a client with that version gets 304. */
export async function getObject(kind: RoutedKind, call: WriteCall, ref: ObjectRef): Promise<KubeObject | undefined> {
  const object = await call.caller.cluster.get(toResource(kind), ref, { signal: call.signal })
  setEtag(call.reply, object)
  if (!isUnchanged(call.headers['if-none-match'], object)) return object
  call.reply.code(304)
  return undefined
}

/** An object of a body with valid names. The default namespace is `default`; objects of the cluster have none. */
export function inNamespace(kind: RoutedKind, object: SentObject): SentObject {
  const { metadata } = object
  if (metadata.name !== undefined) parseName('/metadata/name', metadata.name)
  if (kind.scope === 'Cluster') return object
  const namespace = parseLabel('/metadata/namespace', metadata.namespace ?? 'default')
  return { ...object, metadata: { ...metadata, namespace } }
}

/** Creates an object, which `inNamespace` returned, as the caller: 201 with `Location`. */
export async function createObject(
  kind: RoutedKind,
  call: WriteCall & Pick<Call<unknown, unknown, unknown>, 'request'>,
  input: { object: SentObject; itemIn: 'path' | 'query'; dryRun: boolean },
): Promise<KubeObject> {
  const object = complete(kind, input.object)
  const created = await call.caller.cluster.create(toResource(kind), object, writeOptions(call, input.dryRun))
  setEtag(call.reply, created)
  call.reply.code(201).header('location', locationOf(call.request.routeOptions.url ?? '', created, input.itemIn))
  return created
}

// The collection's own path, since a third party's is not below `/api` itself.
function locationOf(path: string, { metadata: { name, namespace } }: KubeObject, itemIn: 'path' | 'query'): string {
  if (namespace === undefined) return `${path}/${name}`
  return itemIn === 'path' ? `${path}/${namespace}/${name}` : `${path}/${name}?namespace=${namespace}`
}

const TRIES = 3

/**
 * Replaces an object as the caller, guarded by `If-Match` or the body's version. Without either it is read and replaced, up to three times.
 */
export async function replaceObject(
  kind: RoutedKind,
  call: WriteCall,
  input: { object: SentObject; ref: ObjectRef; dryRun: boolean },
): Promise<KubeObject> {
  const { ref, dryRun } = input
  const sent = atRef(kind, input.object, ref)
  const guard = readIfMatch(call.headers['if-match'])
  const known = sent.metadata.resourceVersion
  if (guard !== undefined && known !== undefined && known !== guard) throw new Fail('precondition_failed')
  const replace = async (object: KubeObject): Promise<KubeObject> => {
    const replaced = await call.caller.cluster.replace(toResource(kind), object, writeOptions(call, dryRun))
    setEtag(call.reply, replaced)
    return replaced
  }
  if (guard !== undefined) return orPreconditionFailed(replace(atVersion(sent, guard)))
  if (known !== undefined) return replace(sent)
  for (let left = TRIES; ; left--) {
    const current = await call.caller.cluster.get(toResource(kind), ref, { signal: call.signal })
    try {
      return await replace(keepOwnership(sent, current))
    } catch (error) {
      if (!isStatus(error, 409) || left <= 1) throw error
    }
  }
}

/** Deletes an object as the caller, guarded by `If-Match`. */
export async function deleteObject(
  kind: RoutedKind,
  call: WriteCall,
  input: { ref: ObjectRef; dryRun: boolean },
): Promise<void> {
  const guard = readIfMatch(call.headers['if-match'])
  const deleted = call.caller.cluster.delete(toResource(kind), input.ref, {
    signal: call.signal,
    dryRun: input.dryRun,
    ...(guard === undefined ? {} : { preconditions: { resourceVersion: guard } }),
  })
  await (guard === undefined ? deleted : orPreconditionFailed(deleted))
  call.reply.code(204)
}

function writeOptions(call: WriteCall, dryRun: boolean): WriteOptions {
  return { signal: call.signal, dryRun, fieldManager: FIELD_MANAGER }
}

function complete(kind: RoutedKind, object: SentObject): KubeObject {
  return {
    ...object,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...object.metadata, name: object.metadata.name ?? '' },
  }
}

// The path takes precedence: a body with another name or namespace is refused.
function atRef(kind: RoutedKind, object: SentObject, ref: ObjectRef): KubeObject {
  const { name = ref.name, namespace = ref.namespace } = object.metadata
  const differs = (field: string): Fail =>
    new Fail('invalid_body', undefined, {
      errors: [{ pointer: `/metadata/${field}`, detail: 'differs from the path' }],
    })
  if (name !== ref.name) throw differs('name')
  if (namespace !== ref.namespace) throw differs('namespace')
  return complete(kind, {
    ...object,
    metadata: { ...object.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  })
}

function atVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } }
}

// A client that sends no version does not intend to remove fields set by controllers.
function keepOwnership(sent: KubeObject, current: KubeObject): KubeObject {
  const { finalizers, ownerReferences, resourceVersion = '' } = current.metadata
  const kept = {
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  }
  return { ...sent, metadata: { ...kept, ...sent.metadata, resourceVersion } }
}

async function orPreconditionFailed<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw isStatus(error, 409) ? new Fail('precondition_failed') : error
  }
}
