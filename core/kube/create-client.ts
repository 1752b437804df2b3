import type {
  DeleteOptions,
  Deletion,
  GetOptions,
  KubeClient,
  KubeObject,
  ObjectRef,
  Patch,
  PodLogOptions,
  Resource,
  WriteOptions,
} from './client.ts'
import { call, callForPieces, callForStream, callBounds } from './request.ts'
import type { Bearer, CallRequest, Connection } from './request.ts'
import { InvalidName, parseLabel, parseName } from './names.ts'
import type { DnsLabel } from './names.ts'
import { observed } from './instrument.ts'
import { createPool } from './connection-pool.ts'
import type { KubePool, TlsOptions } from './connection-pool.ts'
import { resourcePath, withQuery } from './url.ts'
import type { Query, ResourcePath } from './url.ts'
import { watch } from './watch.ts'
import { listRequest, toList } from './list-request.ts'

/** Server and identity. Pass the shared `pool`: without one the client opens its own, which lives as long as the process. */
export interface KubeClientOptions extends TlsOptions {
  readonly server: string
  readonly bearer: Bearer
  readonly pool?: KubePool
  readonly userAgent?: string
}

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

/** Creates a client with one identity. It is cheap, since the connections belong to the pool. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const connection: Connection = {
    pool: options.pool ?? createPool(options.server, options),
    bearer: options.bearer,
    userAgent: options.userAgent ?? 'mesh',
  }
  const send = (request: CallRequest): Promise<Buffer> => observed(connection, request, () => call(connection, request))
  return {
    get: async (resource, ref, bounds) => parse(await send(getRequest(resource, ref, bounds))),
    list: async (resource, query = {}) => toList(resource, parse(await send(listRequest(resource, query)))),
    listRaw: async (resource, query = {}) => {
      const request = listRequest(resource, query)
      return observed(connection, request, () => callForPieces(connection, request))
    },
    create: async (resource, object, write = {}) => parse(await send(createRequest(resource, object, write))),
    replace: async (resource, object, write = {}) => parse(await send(replaceRequest(resource, object, write))),
    patch: async (resource, ref, patch, write = {}) => parse(await send(patchRequest(resource, ref, patch, write))),
    delete: async <O extends KubeObject>(resource: Resource, ref: ObjectRef, deletion: DeleteOptions = {}) =>
      toDeletion<O>(parse(await send(deleteRequest(resource, ref, deletion)))),
    watch: (resource, query) => watch(connection, resource, query),
    podLogs: async (ref, query) => {
      const request = logRequest(ref, query)
      return (await observed(connection, request, () => callForStream(connection, request))).body
    },
    review: async (path, body, bounds) => parse(await send({ method: 'POST', path, body, ...callBounds(bounds) })),
  }
}

function parse<Answer>(body: Buffer): Answer {
  return JSON.parse(body.toString('utf8'))
}

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

function getRequest(resource: Resource, ref: ObjectRef, options: GetOptions = {}): CallRequest {
  const accept = options.metadataOnly === true ? { accept: metadataOnly } : {}
  return { method: 'GET', path: objectPath(resource, ref), ...accept, ...callBounds(options) }
}

function objectPath(resource: Resource, ref: ObjectRef, subresource?: ResourcePath['subresource']): string {
  return resourcePath(resource, { namespace: ref.namespace, name: ref.name, subresource })
}

function createRequest(resource: Resource, object: KubeObject, options: WriteOptions): CallRequest {
  const namespace = namespaceOf(resource, object)
  // A POST to a subresource (a service account's token) names the object; a POST to the collection does not.
  const target: ResourcePath =
    options.subresource === undefined
      ? { namespace }
      : { namespace, name: parseName('metadata.name', object.metadata.name), subresource: options.subresource }
  const path = withQuery(resourcePath(resource, target), writeQuery(options))
  return { method: 'POST', path, body: object, rules: resource.declared, ...callBounds(options) }
}

function replaceRequest(resource: Resource, object: KubeObject, options: WriteOptions): CallRequest {
  const name = parseName('metadata.name', object.metadata.name)
  const target = { namespace: namespaceOf(resource, object), name, subresource: options.subresource }
  const path = withQuery(resourcePath(resource, target), writeQuery(options))
  return { method: 'PUT', path, body: object, rules: resource.declared, ...callBounds(options) }
}

function namespaceOf(resource: Resource, object: KubeObject): DnsLabel | undefined {
  const { namespace } = object.metadata
  if (!resource.namespaced) return undefined
  if (namespace === undefined) throw new InvalidName('metadata.namespace', 'is required')
  return parseLabel('metadata.namespace', namespace)
}

const mediaTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
} as const

function patchRequest(resource: Resource, ref: ObjectRef, patch: Patch, options: WriteOptions): CallRequest {
  const query: Query = {
    ...writeQuery(options),
    // The API server refuses an apply without a field manager.
    ...(patch.type === 'apply' ? { fieldManager: options.fieldManager ?? 'mesh', force: patch.force } : {}),
  }
  return {
    method: 'PATCH',
    path: withQuery(objectPath(resource, ref, options.subresource), query),
    body: patch.body,
    contentType: mediaTypes[patch.type],
    rules: resource.declared,
    ...callBounds(options),
  }
}

function writeQuery(options: WriteOptions): Query {
  return {
    fieldValidation: 'Strict',
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
  }
}

function deleteRequest(resource: Resource, ref: ObjectRef, options: DeleteOptions): CallRequest {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions }),
    ...(options.propagation === undefined ? {} : { propagationPolicy: options.propagation }),
    ...(options.graceSeconds === undefined ? {} : { gracePeriodSeconds: options.graceSeconds }),
    ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
  }
  return { method: 'DELETE', path: objectPath(resource, ref), body, ...callBounds(options) }
}

// A completed delete returns a Status, a pending one the object.
function toDeletion<O extends KubeObject>(answer: O & { readonly details?: { readonly uid?: string } }): Deletion<O> {
  if (answer.kind === 'Status' && answer.apiVersion === 'v1') return { uid: answer.details?.uid, object: undefined }
  return { uid: answer.metadata.uid, object: answer }
}

function logRequest(ref: ObjectRef, options: PodLogOptions): CallRequest {
  const path = withQuery(objectPath(pods, ref, 'log'), {
    container: options.container,
    follow: options.follow,
    previous: options.previous,
    tailLines: options.tailLines,
    sinceSeconds: options.sinceSeconds,
    timestamps: options.timestamps,
  })
  return { method: 'GET', path, ...callBounds(options) }
}
