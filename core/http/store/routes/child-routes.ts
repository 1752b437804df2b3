import { listOf } from '#schemas/api/common.ts'
import { endpoint } from '../../endpoint/endpoint.ts'
import type { AnyEndpoint } from '../../endpoint/endpoint.ts'
import { nounPlural, nounWords, withArticle } from '../../resource/resource-words.ts'
import { keyedPage } from '../store-list.ts'
import { addChildIn, readChildRows } from '../objects/children.ts'
import type { ChildRow } from '../objects/children.ts'
import { objectOf, reviewOfItem } from './item-call.ts'
import { subresourceOf } from '../declared/stored-names.ts'
import { storedPathsOf } from './stored-options.ts'
import type { StoredRouteOptions } from './stored-options.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { childSchemasOf, dryRunQuery } from '../declared/stored-schemas.ts'
import { authorshipOf, storedKeyOf, writeStored } from './stored-services.ts'
import type { StoredServices } from './stored-services.ts'
import type { ChildSpec } from '../declared/stored-spec.ts'

/** Routes of the append-only objects below an object: list and create of each kind. */
export function childRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const { item } = storedPathsOf(resource.names, options)
  return Object.entries(resource.spec.children ?? {}).flatMap(([step, spec]) => {
    const child = { step, spec, url: `${item}/${step}`, right: subresourceOf(resource.names, step) }
    return [listChildren(services, resource, child), addChild(services, resource, child)]
  })
}

interface ServedChild {
  readonly step: string
  readonly spec: ChildSpec
  readonly url: string
  /** Subresource in rights. */
  readonly right: string
}

function listChildren(
  services: StoredServices,
  resource: StoredResource,
  { step, spec, url, right }: ServedChild,
): AnyEndpoint {
  const schemas = childSchemasOf(spec)
  const nouns = nounPlural(spec.kind, url)
  return endpoint({
    method: 'GET',
    url: url as '/:ns/:name',
    id: `list${nouns}`,
    summary: `List ${nounWords(nouns)}, newest first.`,
    authz: reviewOfItem('get', right),
    query: schemas.query,
    response: { 200: listOf(schemas.item) },
    handle: async (call) => {
      const { id } = await objectOf(services, resource, call)
      const { current = false } = call.query as { readonly current?: boolean }
      const { items, ...rest } = await keyedPage(call, {
        bound: id,
        read: (page) => readChildRows(services.store.reader(), resource, { step, id, current, page }),
        keyOf: ({ n }) => [String(n)],
      })
      return { ...rest, items: items.map(showChild) }
    },
  })
}

function addChild(
  services: StoredServices,
  resource: StoredResource,
  { step, spec, url, right }: ServedChild,
): AnyEndpoint {
  const schemas = childSchemasOf(spec)
  return endpoint({
    method: 'POST',
    url: url as '/:ns/:name',
    id: `add${spec.kind}`,
    summary: `Add ${withArticle(nounWords(spec.kind))}.`,
    docs: { examples: { sample: { summary: spec.description, value: spec.sample } } },
    authz: reviewOfItem('create', right),
    audit: { action: 'create', resourceKind: spec.kind },
    idempotent: true,
    query: dryRunQuery,
    body: schemas.input,
    response: { 201: schemas.item },
    handle: async (call) => {
      const { body: fields, idempotency } = call
      const given = { ...storedKeyOf(call), ...authorshipOf(services, call), step, fields, idempotency }
      return showChild(await writeStored(services, call, (tx) => addChildIn(tx, resource, given)))
    },
  })
}

function showChild({ id, fields, created_at: at, created_by: by }: ChildRow): object {
  return { ...(fields as object), id, createdAt: at.toISOString(), createdBy: by }
}
