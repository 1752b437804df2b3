import { Fail } from '#core/errors/domain-error.ts'
import { nothing } from '#schemas/api/common.ts'
import { endpoint } from '../../endpoint/endpoint.ts'
import type { AnyEndpoint } from '../../endpoint/endpoint.ts'
import { versioned } from '../row-version.ts'
import { rowList } from '../row-routes.ts'
import { objectOf, reviewOfItem } from './item-call.ts'
import { findRevision } from '../objects/revisions.ts'
import type { RevisionLabels } from '../objects/revisions.ts'
import { conditionsOf, orderOf, readStored } from '../objects/stored-list.ts'
import type { StoredQuery } from '../objects/stored-list.ts'
import { operationOf, storedPathsOf } from './stored-options.ts'
import type { StoredRouteOptions } from './stored-options.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import type { StoredRow } from '../objects/stored-rows.ts'
import { LATEST, paramsOfPath, pathFieldsOf, revisionQuery } from '../declared/stored-schemas.ts'
import { labelsOf, showStored } from './stored-services.ts'
import type { StoredServices } from './stored-services.ts'

/** `GET /bookmarks`. */
export function listRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const operation = operationOf(options, 'list')
  if (operation === undefined) return []
  const { names, schemas } = resource
  const { list, nouns, words } = storedPathsOf(names, options)
  const { path = list, id = `list${nouns}`, summary = `List ${words}.`, review } = operation
  const bound = pathFieldsOf(resource.spec.fields, path)
  return [
    rowList(
      { resource: names.resource, kind: names.kind },
      {
        url: path,
        id,
        summary,
        params: paramsOfPath(resource.spec, path),
        query: schemas.listQuery,
        page: schemas.list,
        ...(review === undefined
          ? {}
          : { review: async (call) => ({ access: await review(call as never), bound: call.params }) }),
        select: (call) => {
          const query = call.query as StoredQuery
          const where = conditionsOf(resource, query, pick(call.params, bound))
          return (access, asked) => readStored(services.store, resource, access, { query, where, page: asked })
        },
        keyOf: (item, call) => orderOf(call.query as StoredQuery).keyOf(item.row),
        show: ({ row, labels }) => showStored(resource, row, labels),
      },
    ),
  ]
}

/** `GET /bookmarks/:ns/:name`, with revisions also `?version=` and `?label=`. */
export function getRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): AnyEndpoint[] {
  const operation = operationOf(options, 'get')
  if (operation === undefined) return []
  const { names, schemas, spec } = resource
  const { item, noun, aWord } = storedPathsOf(names, options)
  const { path = item, id = `get${noun}`, summary = `Get ${aWord}.` } = operation
  return [
    endpoint({
      method: 'GET',
      url: path as '/:ns/:name',
      id,
      summary,
      docs: { reads: ['If-None-Match'], sends: ['ETag'] },
      authz: reviewOfItem('get', names.resource),
      ...(spec.revisions === undefined ? {} : { query: revisionQuery }),
      response: { 200: schemas.item, 304: nothing },
      handle: async (call) => {
        const row = await objectOf(services, resource, call)
        const labels = await labelsOf(services.store, resource, row)
        const shown = await revisionOf(services, resource, { row, labels, asked: (call.query ?? {}) as AskedRevision })
        return versioned(call, row.version, showStored(resource, shown, labels))
      },
    }),
  ]
}

interface AskedRevision {
  readonly version?: number
  readonly label?: string
}

interface Revised {
  readonly row: StoredRow
  readonly labels: RevisionLabels
  readonly asked: AskedRevision
}

// The object with the fields of the revision that was asked for.
async function revisionOf(
  { store }: StoredServices,
  { spec, names }: StoredResource,
  { row, labels, asked }: Revised,
): Promise<StoredRow> {
  if (spec.revisions === undefined) return row
  const version = versionOf({ row, labels, asked }, spec.revisions.reads)
  if (version === row.revision) return row
  const found = version === undefined ? undefined : await findRevision(store.reader(), names, row.id, version)
  if (found === undefined) {
    const which = asked.label === undefined ? `version ${version}` : `label ${asked.label}`
    throw new Fail('not_found', `${row.name} has no ${which}.`)
  }
  const { fields, created_at: at, created_by: by } = found
  return { ...row, fields, revision: found.version, updated_at: at, updated_by: by }
}

function versionOf({ row, labels, asked: { version, label } }: Revised, reads: string | undefined): number | undefined {
  if (version !== undefined && label !== undefined)
    throw new Fail('invalid_query', undefined, {
      errors: [{ pointer: '?label', detail: 'and ?version are mutually exclusive' }],
    })
  const newest = row.revision ?? undefined
  if (version !== undefined) return version
  if (label !== undefined) return label === LATEST ? newest : ownOf(labels, label)
  return (reads === undefined ? undefined : ownOf(labels, reads)) ?? newest
}

function ownOf(labels: RevisionLabels, label: string): number | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined
}

function pick(values: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}
