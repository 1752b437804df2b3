import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import type { AnyEndpoint, Call } from './endpoint.ts'
import { listObjects } from './resource-list.ts'
import { bodyOf, listQuery, objectOf, pageOf, writeQuery } from './resource-schemas.ts'
import type { RoutedKind } from './resource-schemas.ts'
import { createObject, deleteObject, getObject, refOf, replaceObject } from './resource-write.ts'
import type { SentObject } from './resource-write.ts'

/** What can be done with a kind; the names are those of Kubernetes. */
export type ResourceVerb = 'list' | 'create' | 'get' | 'update' | 'delete'

/** Which routes a kind gets, and where. */
export interface ResourceRoutes {
  readonly verbs: readonly ResourceVerb[]
  /** Path below `/api`; default: the plural. */
  readonly path?: string
}

/** CRUD over a kind as the caller: the API server is the only check, and its objects and errors travel as they are. */
export function resourceRoutes(
  kind: RoutedKind,
  { verbs, path = `/${kind.plural}` }: ResourceRoutes,
): readonly AnyEndpoint[] {
  const all: Readonly<Record<ResourceVerb, () => AnyEndpoint>> = {
    list: () => listRoute(kind, path),
    create: () => createRoute(kind, path),
    get: () => getRoute(kind, path),
    update: () => updateRoute(kind, path),
    delete: () => deleteRoute(kind, path),
  }
  return verbs.map((verb) => all[verb]())
}

function listRoute(kind: RoutedKind, path: string): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: path,
    summary: `List objects of kind ${kind.kind}.`,
    authz: { kind: 'kube', verb: 'list', resource: kind.plural },
    query: listQuery,
    response: { 200: pageOf(objectOf(kind)) },
    handle: (call) => listObjects(kind, call),
  })
}

function createRoute(kind: RoutedKind, path: string): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: path,
    summary: `Create a ${kind.kind}.`,
    ...writes(kind, 'create'),
    query: writeQuery,
    body: sentObject(kind),
    response: { 201: objectOf(kind) },
    handle: (call) => createObject(kind, call, { object: call.body, path: `/api${path}`, dryRun: isDry(call) }),
  })
}

function getRoute(kind: RoutedKind, path: string): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: itemPath(kind, path),
    summary: `Read a ${kind.kind}.`,
    authz: { kind: 'kube', verb: 'get', resource: kind.plural },
    response: { 200: objectOf(kind) },
    handle: (call) => getObject(kind, call, refOf(kind, call.params)),
  })
}

function updateRoute(kind: RoutedKind, path: string): AnyEndpoint {
  return endpoint({
    method: 'PUT',
    url: itemPath(kind, path),
    summary: `Replace a ${kind.kind}.`,
    ...writes(kind, 'update'),
    query: writeQuery,
    body: sentObject(kind),
    response: { 200: objectOf(kind) },
    handle: (call) =>
      replaceObject(kind, call, { object: call.body, ref: refOf(kind, call.params), dryRun: isDry(call) }),
  })
}

function deleteRoute(kind: RoutedKind, path: string): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: itemPath(kind, path),
    summary: `Delete a ${kind.kind}.`,
    ...writes(kind, 'delete'),
    query: writeQuery,
    response: { 204: Type.Undefined() },
    handle: (call) => deleteObject(kind, call, { ref: refOf(kind, call.params), dryRun: isDry(call) }),
  })
}

function writes(kind: RoutedKind, verb: string): Pick<AnyEndpoint, 'authz' | 'audit'> {
  return { authz: { kind: 'kube', verb, resource: kind.plural }, audit: { action: verb, resourceKind: kind.kind } }
}

// The schema is the kind's, known at run time only; what the handlers read of it is this much.
function sentObject(kind: RoutedKind): ReturnType<typeof Type.Unsafe<SentObject>> {
  return Type.Unsafe<SentObject>(bodyOf(kind))
}

function itemPath(kind: RoutedKind, path: string): string {
  return kind.scope === 'Cluster' ? `${path}/:name` : `${path}/:ns/:name`
}

function isDry(call: Pick<Call<unknown, { readonly dryRun?: 'All' }, unknown>, 'query'>): boolean {
  return call.query.dryRun === 'All'
}
