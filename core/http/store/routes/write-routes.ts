import type { Access } from '#core/cluster/caller.ts'
import { InvalidName, parseLabel } from '#core/kube/names.ts'
import { nothing } from '#schemas/api/common.ts'
import { endpoint } from '../../endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '../../endpoint/endpoint.ts'
import type { NamespaceFrom } from '../../endpoint/authz.ts'
import { paramNames } from '../../input/params.ts'
import { rowCreate } from '../row-routes.ts'
import { ofItem } from './item-call.ts'
import { operationOf, storedPathsOf } from './stored-options.ts'
import type { OperationOptions, StoredPaths, StoredRouteOptions } from './stored-options.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { findStoredRow } from '../objects/stored-rows.ts'
import type { StoredRow } from '../objects/stored-rows.ts'
import { dryRunQuery, newInputOf, paramsOfPath, pathFieldsOf } from '../declared/stored-schemas.ts'
import { authorshipOf, expectVersion, respondWith, storedKeyOf, uidOf, writeStored } from './stored-services.ts'
import type { StoredServices } from './stored-services.ts'
import { createStoredIn, deleteStoredIn, updateStoredIn } from '../objects/stored-writes.ts'

type FieldMap = Readonly<Record<string, unknown>>
type CreateCall = Call<FieldMap, unknown, { readonly name: string } & FieldMap, Access>

/** `POST /bookmarks`. With revisions an object of that name gets a further one. */
export function createRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const operation = operationOf(options, 'create')
  if (operation === undefined) return []
  const { spec, names, schemas } = resource
  const paths = storedPathsOf(names, options)
  const { path, id, summary } = createWords(operation, paths)
  const hasNamespace = operation.review !== undefined || paramNames(path).includes('ns')
  const declared = {
    url: path,
    id,
    summary,
    docs: {
      sends: ['ETag'] as const,
      examples: { sample: { summary: spec.description, value: { name: 'example', ...(spec.sample as object) } } },
    },
    params: paramsOfPath(spec, path),
    query: dryRunQuery,
    body: newInputOf(spec, { path, hasNamespace }),
    response: spec.revisions === undefined ? { 201: schemas.item } : { 201: schemas.item, 200: schemas.item },
  }
  const handle = (call: unknown) => createOne(services, resource, { options, path }, call as CreateCall)
  const { review } = operation
  if (review !== undefined)
    return [rowCreate(names, { ...declared, review: (call) => review(call as never) as Promise<never>, handle })]
  const namespace: NamespaceFrom = hasNamespace
    ? { in: 'path', field: 'ns' }
    : { in: 'body', field: 'namespace', absent: 'default' }
  const authz = { kind: 'review', verb: 'create', resource: names.resource, namespace } as const
  const audit = { action: 'create', resourceKind: names.kind }
  return [endpoint({ ...declared, method: 'POST', authz, audit, idempotent: true, handle })]
}

function createWords({ path, id, summary }: OperationOptions<'create'>, { list, noun, aWord }: StoredPaths) {
  return { path: path ?? list, id: id ?? `create${noun}`, summary: summary ?? `Create ${aWord}.` }
}

interface Creation {
  readonly options: StoredRouteOptions
  readonly path: string
}

async function createOne(
  services: StoredServices,
  resource: StoredResource,
  { options: { reserved = [], check }, path }: Creation,
  call: CreateCall,
): Promise<object | undefined> {
  const { name, namespace: _, ...sent } = call.body
  if (reserved.includes(name)) throw new InvalidName('/name', 'is reserved')
  const ofPath = pathFieldsOf(resource.spec.fields, path).map((field) => [field, call.params[field]] as const)
  const fields = { ...sent, ...Object.fromEntries(ofPath) }
  const key = { namespace: call.access.namespace, name }
  await check?.(call.caller, { verb: 'create', ...key, fields }, call.signal)
  const sentObject = { ...key, fields }
  const row =
    (resource.spec.revisions && (await appendOne(services, resource, call, sentObject))) ??
    (await insertOne(services, resource, call, sentObject))
  return respondWith(services, resource, call, row)
}

interface SentObject {
  readonly namespace: string
  readonly name: string
  readonly fields: unknown
}

// A creation of an object that exists changes it, so that it needs that right as well.
async function appendOne(
  services: StoredServices,
  resource: StoredResource,
  call: CreateCall,
  { fields, ...key }: SentObject,
): Promise<StoredRow | undefined> {
  const { store } = services
  const before = await findStoredRow(store.reader(), resource.names, key)
  if (before === undefined) return undefined
  const namespace = parseLabel('namespace', key.namespace)
  await call.caller.review('update', resource.names.resource, { namespace, name: key.name })
  const change = { ...key, ...authorshipOf(services, call), fields, expect: () => undefined }
  const row = await writeStored(services, call, (tx) => updateStoredIn(tx, resource, change))
  // Equal content is no new revision.
  call.reply.code(row.version === before.version ? 200 : 201)
  return row
}

async function insertOne(
  services: StoredServices,
  resource: StoredResource,
  call: CreateCall,
  { namespace, name, fields }: SentObject,
): Promise<StoredRow> {
  const namespaceUid = await uidOf(services, namespace)
  const { quota } = services
  const { idempotency } = call
  const given = { namespace, name, ...authorshipOf(services, call), namespaceUid, fields, quota, idempotency }
  const row = await writeStored(services, call, (tx) => createStoredIn(tx, resource, given))
  call.reply.code(201)
  return row
}

/** `PUT /bookmarks/:ns/:name`. */
export function updateRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const operation = operationOf(options, 'update')
  if (operation === undefined) return []
  const { spec, names, schemas } = resource
  const { item, noun, aWord } = storedPathsOf(names, options)
  const { path = item, id = `replace${noun}`, summary = `Replace ${aWord}.` } = operation
  const examples = { sample: { summary: spec.description, value: spec.sample } }
  return [
    endpoint({
      method: 'PUT',
      url: path as '/:ns/:name',
      id,
      summary,
      docs: { examples, reads: ['If-Match'], sends: ['ETag'] },
      ...ofItem(resource, 'update'),
      query: dryRunQuery,
      body: schemas.input,
      response: { 200: schemas.item },
      handle: async (call) => {
        const key = storedKeyOf(call)
        const fields: unknown = call.body
        await options.check?.(call.caller, { verb: 'update', ...key, fields }, call.signal)
        const change = { ...key, ...authorshipOf(services, call), fields, expect: expectVersion(call) }
        const row = await writeStored(services, call, (tx) => updateStoredIn(tx, resource, change))
        return respondWith(services, resource, call, row)
      },
    }),
  ]
}

/** `DELETE /bookmarks/:ns/:name`. */
export function deleteRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const operation = operationOf(options, 'delete')
  if (operation === undefined) return []
  const { item, noun, aWord } = storedPathsOf(resource.names, options)
  const { path = item, id = `delete${noun}`, summary = `Delete ${aWord}.` } = operation
  return [
    endpoint({
      method: 'DELETE',
      url: path as '/:ns/:name',
      id,
      summary,
      docs: { reads: ['If-Match'] },
      ...ofItem(resource, 'delete'),
      query: dryRunQuery,
      response: { 204: nothing },
      handle: async (call) => {
        const key = storedKeyOf(call)
        await options.check?.(call.caller, { verb: 'delete', ...key }, call.signal)
        const { by } = authorshipOf(services, call)
        await writeStored(services, call, (tx) =>
          deleteStoredIn(tx, resource, { ...key, by, expect: expectVersion(call) }),
        )
      },
    }),
  ]
}
