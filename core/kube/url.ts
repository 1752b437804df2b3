import { isLabel, isName } from './names.ts'
import type { DnsLabel, DnsName } from './names.ts'
import type { Resource } from './client.ts'

/** Typed query parameters of a call; absent ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** Target of a URL: a collection, one object, or a subresource. */
export interface ResourcePath {
  readonly namespace?: DnsLabel | undefined
  readonly name?: DnsName | undefined
  readonly subresource?: 'status' | 'scale' | 'token' | 'log' | undefined
}

/** Thrown when a path would not reach the API server as built (K5). A defect of the caller; nothing is sent. */
export class UnsafePath extends Error {
  constructor() {
    super('the URL parser has changed the path of a cluster call')
    this.name = 'UnsafePath'
  }
}

/** The only builder of resource paths. Takes parsed names, and still compares the built path with the result of URL parsing. */
export function resourcePath(resource: Resource, target: ResourcePath): string {
  const { group, version, plural } = resource
  if (resource.namespaced && target.name !== undefined && target.namespace === undefined) throw new UnsafePath()
  const segments = [
    ...(group === '' ? ['api'] : ['apis', name(group)]),
    label(version),
    ...(target.namespace === undefined ? [] : ['namespaces', label(target.namespace)]),
    label(plural),
    ...(target.name === undefined ? [] : [name(target.name)]),
    ...(target.subresource === undefined ? [] : [label(target.subresource)]),
  ]
  return verified(`/${segments.join('/')}`)
}

/** Joins a path and its query. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value))
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

// URL parsing resolves '.', '..', '%2e' and backslashes. Any difference would name another resource (M1).
function verified(path: string): string {
  if (new URL(path, 'http://cluster.invalid').pathname !== path) throw new UnsafePath()
  return path
}

// The brand exists at compile time only; a cast elsewhere must not reach the wire.
function label(text: string): string {
  if (!isLabel(text)) throw new UnsafePath()
  return text
}

function name(text: string): string {
  if (!isName(text)) throw new UnsafePath()
  return text
}

/** `apiVersion` of the objects of a resource. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}
