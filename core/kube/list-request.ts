import type { KubeObject, ListOptions, ObjectList, Resource } from './client.ts'
import type { CallRequest } from './request.ts'
import { resourcePath, withQuery, apiVersionOf } from './url.ts'
import { callBounds } from './request.ts'

/** The request of a list. Throws `RangeError` for a page size below 1. */
export function listRequest(resource: Resource, options: ListOptions): CallRequest {
  // The API server treats a negative limit as unlimited (M10).
  if (options.limit !== undefined && !(Number.isInteger(options.limit) && options.limit > 0))
    throw new RangeError('limit: must be a positive integer')
  const path = withQuery(resourcePath(resource, { namespace: options.namespace }), {
    limit: options.limit,
    continue: options.continue,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  })
  return { method: 'GET', path, ...callBounds(options) }
}

interface ListAnswer<O> {
  readonly items?: readonly O[] | null
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
}

/** The list of a response. */
export function toList<O extends KubeObject>(resource: Resource, list: ListAnswer<O>): ObjectList<O> {
  // Items of a list of a built-in kind have no kind and apiVersion.
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind }
  return {
    items: (list.items ?? []).map((item) => ({ ...type, ...item })),
    resourceVersion: list.metadata.resourceVersion ?? '',
    continue: list.metadata.continue === '' ? undefined : list.metadata.continue,
  }
}
/** Compares resource versions, which are decimal numbers of any length (KEP-5504). */
export function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length
}
