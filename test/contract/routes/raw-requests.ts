import type { RawRequest } from '#test/flows/platform/send.ts'
import { reviewOf } from './review-question.ts'
import type { ReviewedRight } from './review-question.ts'

/**
 * An access check as a raw request to the API server. A virtual resource is not served, so a 404 or 405 after authorization means allowed.
 */
export interface AccessRequest extends RawRequest {
  readonly virtual?: true
  /** The request is the review of this right: its response says whether the caller has it. */
  readonly right?: ReviewedRight
}

const group = '/apis/mesh.dev/v1alpha1'
const dry = 'dryRun=All'

/** Path of the collection of a kind in a namespace; '' is the whole cluster. */
export function collection(plural: string, namespace: string): string {
  return namespace === '' ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`
}

/** `list` of a kind. */
export function list(plural: string, namespace: string): AccessRequest {
  return { path: `${collection(plural, namespace)}?limit=1` }
}

/** `get` of an object. */
export function get(plural: string, namespace: string, name: string): AccessRequest {
  return { path: `${collection(plural, namespace)}/${name}` }
}

/** `create` as a dry run. */
export function create(plural: string, namespace: string, body: unknown): AccessRequest {
  return { method: 'POST', path: `${collection(plural, namespace)}?${dry}`, body }
}

/** `update` as a dry run. */
export function replace(plural: string, at: { namespace: string; name: string }, body: unknown): AccessRequest {
  return { method: 'PUT', path: `${collection(plural, at.namespace)}/${at.name}?${dry}`, body }
}

/** `delete` as a dry run. */
export function remove(plural: string, namespace: string, name: string): AccessRequest {
  return { method: 'DELETE', path: `${collection(plural, namespace)}/${name}?${dry}` }
}

/** `patch` of an annotation as a dry run. */
export function annotate(path: string): AccessRequest {
  return {
    method: 'PATCH',
    path: `${path}?${dry}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { 'mesh.dev/matrix': 'asked' } } },
  }
}

type VirtualVerb = 'list' | 'get' | 'create' | 'update' | 'delete' | 'watch'
const methods: Partial<Record<VirtualVerb, string>> = { create: 'POST', update: 'PUT' }

/** `list`, `create` or `update` of a virtual resource, without a name; `delete` of a named one. */
export function virtual(verb: VirtualVerb, resource: string, namespace: string, name = 'any'): AccessRequest {
  const path = collection(resource, namespace)
  // A request can only `get` by name, while the review has no name. No shipped role distinguishes the two.
  if (verb === 'get') return { path: `${path}/any`, virtual: true }
  if (verb === 'delete') return { method: 'DELETE', path: `${path}/${name}`, virtual: true }
  if (verb === 'watch') return { path: `${path}?watch=true&timeoutSeconds=1`, virtual: true }
  const method = methods[verb]
  return { path, ...(method === undefined ? {} : { method, body: {} }), virtual: true }
}

/** `get` of the virtual subresource `fixture` of a run. */
export function fixture(namespace: string, runId: string): AccessRequest {
  return { path: `${collection('runs', namespace)}/${runId}/fixture`, virtual: true }
}

/** `create` of the virtual subresource `invoke` of a named object. */
export function invoke(plural: string, namespace: string, name: string): AccessRequest {
  return { method: 'POST', path: `${collection(plural, namespace)}/${name}/invoke`, body: {}, virtual: true }
}

/** A right that only an access review has. */
export function reviewed(right: ReviewedRight): AccessRequest {
  return { ...reviewOf(right), right }
}
