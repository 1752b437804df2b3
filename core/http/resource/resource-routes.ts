import { Type } from 'typebox'
import type { TProperties } from 'typebox'
import type { Caller } from '#core/cluster/caller.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { InvalidName, parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { clusterObject, clusterObjectInput, listOf, nothing } from '#schemas/api/common.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import type { AnyEndpoint, Call, Examples } from '../endpoint/endpoint.ts'
import type { PathNames } from '../endpoint/path-params.ts'
import { addToPage } from './object-includes.ts'
import type { IncludeCall, ObjectIncludes } from './object-includes.ts'
import { listObjects } from './resource-list.ts'
import { storedExample } from './resource-example.ts'
import { nounPlural, nounWords, withArticle } from './resource-words.ts'
import { listQuery, namespaceOfItem, objectQuery, rightsResource, writeQuery } from './resource-schemas.ts'
import type { RoutedKind } from './resource-schemas.ts'
import { createObject, deleteObject, getObject, inNamespace, refOf, replaceObject } from './resource-write.ts'
import type { SentObject } from './resource-write.ts'

/** Operations on a kind, named as in Kubernetes. */
export type ResourceVerb = 'list' | 'create' | 'get' | 'update' | 'delete'

/** Routes of a kind and their path. */
export interface ResourceRoutes {
  readonly verbs: readonly ResourceVerb[]
  /** Path below `/api`; default: the plural. */
  readonly path?: string
  /** Noun of the collection in PascalCase, for operation ids (`getAgent`) and summaries ("Get an agent."); default: the kind. */
  readonly noun?: string
  /** Part of the request with the namespace of an object: the path (`/:ns/:name`) or the query (`/:name?namespace=`). Default: path. */
  readonly itemIn?: 'path' | 'query'
  /** Names that create refuses, since another route has them. */
  readonly reserved?: readonly string[]
  /** Example bodies of create and update. */
  readonly examples?: Examples
  /** Parses the object of an update from a YAML body, in the namespace of the path. */
  readonly readYaml?: (text: string, namespace: DnsLabel) => SentObject
  /** Fields of objects that `includes` adds; all responses have one schema. */
  readonly fields?: TProperties
  /** What lists and objects show on request. */
  readonly includes?: { readonly list: ObjectIncludes; readonly get: ObjectIncludes }
  /** Validates the object of a create or update as the caller, beyond what the API server checks. The namespace of a cluster's object is ''. */
  readonly check?: (caller: Caller, object: { namespace: string; spec: unknown }, signal: AbortSignal) => Promise<void>
}

interface Named extends Pick<ResourceRoutes, 'readYaml' | 'check' | 'fields' | 'includes'> {
  readonly path: string
  readonly noun: string
  readonly examples: Examples
  readonly itemIn: 'path' | 'query'
  readonly reserved: readonly string[]
}

/** Declares CRUD routes of a kind as the caller. The API server is the only check; its objects and errors are relayed unchanged. */
export function resourceRoutes(kind: RoutedKind, { verbs, ...given }: ResourceRoutes): readonly AnyEndpoint[] {
  const { path = `/${kind.plural}`, noun = kind.kind, examples = {}, itemIn = 'path', reserved = [] } = given
  const named = { ...given, path, noun, examples, itemIn, reserved }
  const all: Readonly<Record<ResourceVerb, () => AnyEndpoint>> = {
    list: () => listRoute(kind, named),
    create: () => createRoute(kind, named),
    get: () => getRoute(kind, named),
    update: () => updateRoute(kind, named),
    delete: () => deleteRoute(kind, named),
  }
  return verbs.map((verb) => all[verb]())
}

function listRoute(kind: RoutedKind, { path, noun, examples, fields, includes }: Named): AnyEndpoint {
  const stored = storedExample(kind, examples)
  return endpoint({
    method: 'GET',
    url: path,
    id: `list${nounPlural(noun, path)}`,
    summary: `List ${nounWords(nounPlural(noun, path))}.`,
    ...(stored === undefined ? {} : { docs: { response: { items: [stored], nextCursor: null } } }),
    authz: { kind: 'kube', verb: 'list', resource: rightsResource(kind) },
    query: Type.Object({ ...listQuery.properties, ...includes?.list.query }),
    response: { 200: listOf(clusterObject(kind, fields)) },
    handle: async (call) => {
      const add = includes?.list.prepare(call as IncludeCall)
      const page = await listObjects(kind, call)
      return add === undefined ? page : addToPage(page, add)
    },
  })
}

function createRoute(kind: RoutedKind, { path, noun, examples, itemIn, reserved, check, fields }: Named): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: path,
    id: `create${noun}`,
    summary: `Create ${withArticle(nounWords(noun))}.`,
    docs: { examples, response: storedExample(kind, examples), sends: ['ETag'] },
    ...writes(kind, 'create'),
    query: Type.Object({ ...writeQuery, ...objectQuery }),
    body: sentObject(kind),
    response: { 201: clusterObject(kind, fields) },
    handle: async (call) => {
      const { name = '' } = call.body.metadata
      if (reserved.includes(name)) throw new InvalidName('/metadata/name', 'is reserved')
      const object = inNamespace(kind, call.body)
      await check?.(call.caller, { namespace: object.metadata.namespace ?? '', spec: object.spec }, call.signal)
      return createObject(kind, call, { object, itemIn, dryRun: isDry(call) })
    },
  })
}

function getRoute(kind: RoutedKind, { path, noun, itemIn, examples, fields, includes }: Named): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: itemPath(kind, path, itemIn),
    id: `get${noun}`,
    summary: `Get ${withArticle(nounWords(noun))}.`,
    docs: { response: storedExample(kind, examples), reads: ['If-None-Match'], sends: ['ETag'] },
    authz: { kind: 'kube', verb: 'get', resource: rightsResource(kind) },
    query: Type.Object({ ...readQuery(kind, itemIn).properties, ...includes?.get.query }),
    response: { 200: clusterObject(kind, fields), 304: nothing },
    handle: async (call) => {
      const add = includes?.get.prepare(call as IncludeCall)
      if (add === undefined) return getObject(kind, call, itemOf(kind, call))
      // Added fields change without the version of the object, so there is no 304.
      const { caller, reply, signal } = call
      const object = await getObject(kind, { caller, reply, signal, headers: {} }, itemOf(kind, call))
      return object && (await add([object]))[0]
    },
  })
}

function updateRoute(kind: RoutedKind, { path, noun, examples, itemIn, readYaml, check, fields }: Named): AnyEndpoint {
  const replace = async (call: UpdateCall, object: SentObject): Promise<KubeObject> => {
    const ref = itemOf(kind, call)
    await check?.(call.caller, { namespace: ref.namespace ?? '', spec: object.spec }, call.signal)
    return replaceObject(kind, call, { object, ref, dryRun: isDry(call) })
  }
  return endpoint({
    method: 'PUT',
    url: itemPath(kind, path, itemIn),
    id: `replace${noun}`,
    summary: `Replace ${withArticle(nounWords(noun))}.`,
    docs: { examples, response: storedExample(kind, examples), reads: ['If-Match'], sends: ['ETag'] },
    ...writes(kind, 'update'),
    query: replaceQuery(kind, itemIn),
    body: sentObject(kind),
    response: { 200: clusterObject(kind, fields) },
    handle: (call) => replace(call, call.body),
    ...(readYaml === undefined
      ? {}
      : {
          handleYaml: (call: UpdateCall & { readonly body: string }) =>
            replace(call, readYaml(call.body, parseLabel('namespace', itemOf(kind, call).namespace ?? ''))),
        }),
  })
}

interface ItemQuery {
  readonly managedFields?: boolean
  readonly dryRun?: 'All'
  readonly namespace?: string
}

type UpdateCall = Call<PathNames, ItemQuery, unknown>

function deleteRoute(kind: RoutedKind, { path, noun, itemIn }: Named): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: itemPath(kind, path, itemIn),
    id: `delete${noun}`,
    summary: `Delete ${withArticle(nounWords(noun))}.`,
    docs: { reads: ['If-Match'] },
    ...writes(kind, 'delete'),
    query: deleteQuery(kind, itemIn),
    response: { 204: Type.Undefined() },
    handle: (call) => deleteObject(kind, call, { ref: itemOf(kind, call), dryRun: isDry(call) }),
  })
}

function writes(kind: RoutedKind, verb: string): Pick<AnyEndpoint, 'authz' | 'audit'> {
  return {
    authz: { kind: 'kube', verb, resource: rightsResource(kind) },
    audit: { action: verb, resourceKind: kind.kind },
  }
}

// The schema of the kind is known only at run time; handlers read no more than this.
function sentObject(kind: RoutedKind): ReturnType<typeof Type.Unsafe<SentObject>> {
  return Type.Unsafe<SentObject>(clusterObjectInput(kind))
}

function itemPath(kind: RoutedKind, path: string, itemIn: 'path' | 'query'): string {
  return kind.scope === 'Cluster' || itemIn === 'query' ? `${path}/:name` : `${path}/:ns/:name`
}

function hasNamespace(kind: RoutedKind, itemIn: 'path' | 'query'): boolean {
  return kind.scope === 'Namespaced' && itemIn === 'query'
}

function readQuery(kind: RoutedKind, itemIn: 'path' | 'query') {
  return hasNamespace(kind, itemIn) ? Type.Object({ ...objectQuery, ...namespaceOfItem }) : Type.Object(objectQuery)
}

function replaceQuery(kind: RoutedKind, itemIn: 'path' | 'query') {
  const query = { ...writeQuery, ...objectQuery }
  return hasNamespace(kind, itemIn) ? Type.Object({ ...query, ...namespaceOfItem }) : Type.Object(query)
}

function deleteQuery(kind: RoutedKind, itemIn: 'path' | 'query') {
  return hasNamespace(kind, itemIn) ? Type.Object({ ...writeQuery, ...namespaceOfItem }) : Type.Object(writeQuery)
}

// With the namespace in the query, an absent or empty one is `default`.
function itemOf(
  kind: RoutedKind,
  { params, query }: Pick<Call<PathNames, ItemQuery, unknown>, 'params' | 'query'>,
): ObjectRef {
  const { namespace = '' } = query ?? {}
  const isInPath = params.ns !== undefined || kind.scope === 'Cluster'
  return refOf(
    kind,
    isInPath ? params : { ...params, ns: parseLabel('?namespace', namespace === '' ? 'default' : namespace) },
  )
}

function isDry(call: Pick<Call<unknown, { readonly dryRun?: 'All' }, unknown>, 'query'>): boolean {
  return call.query.dryRun === 'All'
}
