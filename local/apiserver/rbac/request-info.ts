import { parseLabelSelector } from '../kinds/selectors.ts'

/** Target of a request, derived from method, path and query as in kube-apiserver's RequestInfo. */
export interface RequestInfo {
  isResource: boolean
  path: string
  verb: string
  group: string
  version: string
  namespace: string
  /** The resource is addressed below `namespaces/{namespace}/`; a namespace itself is not. */
  scoped: boolean
  resource: string
  subresource: string
  name: string
  /** Path segments after the subresource; no subresource here takes any. */
  rest: readonly string[]
}

const VERBS: { readonly [method: string]: string } = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

/** Decodes a path. Escapes are resolved before the split: `a%2fb` is two segments, as in kube-apiserver. */
export function decodePath(rawPath: string): string | undefined {
  try {
    return decodeURIComponent(rawPath)
  } catch {
    return undefined
  }
}

function nonResource(method: string, path: string): RequestInfo {
  const none = {
    group: '',
    version: '',
    namespace: '',
    scoped: false,
    resource: '',
    subresource: '',
    name: '',
    rest: [],
  }
  return { isResource: false, path, verb: method.toLowerCase(), ...none }
}

/** Parses a decoded path; any other path is a non-resource request. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path.replace(/^\/+|(?<!\/)\/+$/g, '').split('/')
  const info = nonResource(method, path)
  if (parts.length < 3 || (parts[0] !== 'api' && parts[0] !== 'apis')) return info
  const named = parts[0] === 'apis'
  if (named && parts.length < 4) return info
  info.isResource = true
  info.group = named ? (parts[1] ?? '') : ''
  info.version = parts[named ? 2 : 1] ?? ''
  info.verb = VERBS[method] ?? ''
  let rest = parts.slice(named ? 3 : 2)
  if (rest[0] === 'namespaces' && rest.length > 1) {
    info.namespace = rest[1] ?? ''
    info.scoped = rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] ?? '')
    if (info.scoped) rest = rest.slice(2)
  }
  info.resource = rest[0] ?? ''
  info.name = rest[1] ?? ''
  info.subresource = rest[2] ?? ''
  info.rest = rest.slice(3)
  if (info.name === '') collectionVerb(info, query)
  return info
}

function collectionVerb(info: RequestInfo, query: URLSearchParams): void {
  if (info.verb === 'delete') info.verb = 'deletecollection'
  if (info.verb !== 'get') return
  info.verb = isTrue(query.get('watch')) ? 'watch' : 'list'
  // A list with the same name is authorized with that name, so that a role with resourceNames permits it.
  const named = /^metadata\.name==?([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')
  if (named?.[1] && isReadable(query.get('labelSelector'))) info.name = named[1]
}

/** Malformed options count as absent here; the code that reads them later reports why. */
function isReadable(labelSelector: string | null): boolean {
  try {
    parseLabelSelector(labelSelector)
    return true
  } catch {
    return false
  }
}

/** A boolean query value as in kube-apiserver: anything but `false` and `0` is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0'
}
