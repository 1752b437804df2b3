import type { RawRequest } from '#test/flows/platform/send.ts'

/** A question to the API server as a raw request. A virtual resource is not served, so its 404 or 405 comes after authorization: a yes. */
export interface AccessRequest extends RawRequest {
  readonly virtual?: true
}

const group = '/apis/mesh.dev/v1alpha1'
const dry = 'dryRun=All'

/** The collection of a kind of ours in a namespace; '' is the whole cluster. */
export function collection(plural: string, namespace: string): string {
  return namespace === '' ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`
}

/** `list` of a kind of ours. */
export function list(plural: string, namespace: string): AccessRequest {
  return { path: `${collection(plural, namespace)}?limit=1` }
}

/** `get` of an object of ours. */
export function get(plural: string, namespace: string, name: string): AccessRequest {
  return { path: `${collection(plural, namespace)}/${name}` }
}

/** `create`, kept nowhere. */
export function create(plural: string, namespace: string, body: unknown): AccessRequest {
  return { method: 'POST', path: `${collection(plural, namespace)}?${dry}`, body }
}

/** `update`, kept nowhere. */
export function replace(plural: string, at: { namespace: string; name: string }, body: unknown): AccessRequest {
  return { method: 'PUT', path: `${collection(plural, at.namespace)}/${at.name}?${dry}`, body }
}

/** `delete`, kept nowhere. */
export function remove(plural: string, namespace: string, name: string): AccessRequest {
  return { method: 'DELETE', path: `${collection(plural, namespace)}/${name}?${dry}` }
}

/** `patch` that changes an annotation, kept nowhere. */
export function annotate(path: string): AccessRequest {
  return {
    method: 'PATCH',
    path: `${path}?${dry}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { 'mesh.dev/matrix': 'asked' } } },
  }
}

/** `list`, `create` or `update` of a virtual resource, without a name. */
export function virtual(verb: 'list' | 'get' | 'update' | 'watch', resource: string, namespace: string): AccessRequest {
  const path = collection(resource, namespace)
  // A request can only `get` by a name; the review has none, which no shipped role tells apart.
  if (verb === 'get') return { path: `${path}/any`, virtual: true }
  if (verb === 'watch') return { path: `${path}?watch=true&timeoutSeconds=1`, virtual: true }
  return { path, ...(verb === 'update' ? { method: 'PUT', body: {} } : {}), virtual: true }
}

/** `create` of the virtual subresource `invoke` of a named object. */
export function invoke(plural: string, namespace: string, name: string): AccessRequest {
  return { method: 'POST', path: `${collection(plural, namespace)}/${name}/invoke`, body: {}, virtual: true }
}
