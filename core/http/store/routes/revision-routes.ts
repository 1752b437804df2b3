import { InvalidName } from '#core/kube/names.ts'
import { listOf } from '#schemas/api/common.ts'
import { endpoint } from '../../endpoint/endpoint.ts'
import type { AnyEndpoint } from '../../endpoint/endpoint.ts'
import { keyedPage } from '../store-list.ts'
import { objectOf, ofItem, reviewOfItem } from './item-call.ts'
import { moveLabelIn } from '../objects/label-moves.ts'
import { readMoves, readRevisionRows } from '../objects/revisions.ts'
import type { MoveRow, RevisionRow } from '../objects/revisions.ts'
import { storedPathsOf } from './stored-options.ts'
import type { StoredRouteOptions } from './stored-options.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import {
  dryRunQuery,
  LATEST,
  labelParams,
  moveInput,
  pagesQuery,
  revisionSchemasOf,
} from '../declared/stored-schemas.ts'
import { authorshipOf, expectVersion, respondWith, storedKeyOf, writeStored } from './stored-services.ts'
import type { StoredServices } from './stored-services.ts'

/** Routes of revisions: `/versions`, `/history` and `/labels/:label` below an object. None without revisions. */
export function revisionRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  if (resource.spec.revisions === undefined) return []
  const { item, noun, aWord } = storedPathsOf(resource.names, options)
  const { revision, move } = revisionSchemasOf(resource.spec)
  const { store } = services
  const read = { method: 'GET', authz: reviewOfItem('get', resource.names.resource), query: pagesQuery } as const
  const versions = endpoint({
    ...read,
    url: `${item}/versions` as '/:ns/:name/versions',
    id: `list${noun}Versions`,
    summary: `List the revisions of ${aWord}, newest first.`,
    response: { 200: listOf(revision) },
    handle: async (call) => {
      const { id } = await objectOf(services, resource, call)
      const { items, ...rest } = await keyedPage(call, {
        bound: id,
        read: (page) => readRevisionRows(store.reader(), resource.names, id, page),
        keyOf: ({ version }) => [version],
      })
      return { ...rest, items: items.map(showRevision) }
    },
  })
  const history = endpoint({
    ...read,
    url: `${item}/history` as '/:ns/:name/history',
    id: `list${noun}History`,
    summary: `List the moves of the labels of ${aWord}, newest first.`,
    response: { 200: listOf(move) },
    handle: async (call) => {
      const { id } = await objectOf(services, resource, call)
      const { items, ...rest } = await keyedPage(call, {
        bound: id,
        read: (page) => readMoves(store.reader(), resource.names, id, page),
        keyOf: ({ n }) => [String(n)],
      })
      return { ...rest, items: items.map(showMove) }
    },
  })
  return [versions, history, labelRoute(services, resource, options)]
}

function labelRoute(services: StoredServices, resource: StoredResource, options: StoredRouteOptions): AnyEndpoint {
  const { item, noun, word } = storedPathsOf(resource.names, options)
  const { names, schemas } = resource
  const { protects } = services
  return endpoint({
    method: 'PUT',
    url: `${item}/labels/:label` as '/:ns/:name/labels/:label',
    id: `move${noun}Label`,
    summary: `Move a label of a ${word} to a revision, or remove it.`,
    docs: {
      examples: { move: { summary: 'Move the label', value: { version: 1 } } },
      reads: ['If-Match'],
      sends: ['ETag'],
    },
    ...ofItem(resource, 'update'),
    params: labelParams,
    query: dryRunQuery,
    body: moveInput(names.kind),
    response: { 200: schemas.item },
    handle: async (call) => {
      const { label, ns, name } = call.params
      const { version: to } = call.body as { readonly version: number | null }
      if (label === LATEST) throw new InvalidName(':label', 'is reserved')
      if (protects.includes(label)) await call.caller.review('promote', names.resource, { namespace: ns, name })
      const move = { ...storedKeyOf(call), ...authorshipOf(services, call), label, to, expect: expectVersion(call) }
      const row = await writeStored(services, call, (tx) => moveLabelIn(tx, resource, move))
      return respondWith(services, resource, call, row)
    },
  })
}

function showRevision({ version, fields, created_at: at, created_by: by }: RevisionRow): object {
  return { ...(fields as object), version, createdAt: at.toISOString(), createdBy: by }
}

function showMove({ label, from_version: from, to_version: to, moved_at: at, moved_by: by }: MoveRow): object {
  return { label, from, to, movedAt: at.toISOString(), movedBy: by }
}
