import { isObject } from '#core/json/is-object.ts'
import { checksOf, reviewsBody, reviewsOf } from './authz.ts'
import type { Authz } from './authz.ts'
import type { AnyEndpoint } from './endpoint.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE']

// Fields that must be a string, by kind.
const texts = {
  kube: ['verb', 'resource'],
  review: ['verb', 'resource'],
  row: ['verb', 'resource'],
  bearer: [],
  owner: [],
  agent: [],
  token: ['of'],
  public: [],
  all: [],
} as const satisfies Readonly<Record<Authz['kind'], readonly string[]>>

const kinds: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(texts))

/** Checks a declared endpoint, which may come from untyped code. Throws `TypeError` with method, path and field. */
export function checkEndpoint(given: unknown): AnyEndpoint {
  if (!isObject(given)) throw new TypeError(`an endpoint must be an object, not ${typeof given}`)
  const { method, url, authz, handle, response } = given
  const name = `${String(method)} ${String(url)}`.slice(0, 120)
  const refuse = (why: string): never => {
    throw new TypeError(`endpoint ${name}: ${why}`)
  }
  if (typeof method !== 'string' || typeof url !== 'string' || !url.startsWith('/'))
    return refuse('method and url are required, and url begins with /')
  if (!methods.includes(method)) refuse(`method must be ${methods.join(', ')}`)
  checkAuthz(authz, method, refuse)
  if (typeof handle !== 'function') refuse('handle must be a function')
  if (!isObject(response)) refuse('response is required: a schema for each status')
  if (!isChecked(given)) return refuse('is not an endpoint')
  refuseUnreadScope(given, refuse)
  refuseUnreviewedReplay(given, refuse)
  refuseUncheckedBody(given, refuse)
  return given
}

// Its fields were checked above.
function isChecked(given: object): given is AnyEndpoint {
  return 'handle' in given
}

type Refuse = (why: string) => never

function checkAuthz(authz: unknown, method: string, refuse: Refuse): void {
  const fields = isObject(authz) ? kinds.get(authz['kind']) : undefined
  if (!isObject(authz) || fields === undefined)
    return refuse(`authz is required, such as { kind: 'bearer' }; its kind is one of ${[...kinds.keys()].join(', ')}`)
  const missing = fields.find((field) => typeof authz[field] !== 'string' || authz[field] === '')
  if (missing !== undefined) refuse(`authz.${missing} must be a string`)
  if (authz['kind'] === 'review') {
    checkNamespace(authz['namespace'], refuse)
    checkGroup(authz['group'], authz['resource'], refuse)
  }
  if (authz['kind'] === 'token' && typeof authz['verify'] !== 'function') refuse('authz.verify must be a function')
  if (authz['kind'] === 'all') checkMembers(authz['of'], method, refuse)
  if (authz['kind'] !== 'public') return
  if (authz['shownBy'] !== 'shareToken' && authz['shownBy'] !== 'anyone')
    refuse('authz.shownBy must be shareToken or anyone')
  // No request without a bearer has an effect.
  if (method !== 'GET') refuse('a public route must be a GET')
}

const memberKinds: readonly unknown[] = ['review', 'kube', 'row', 'bearer']

function checkMembers(of: unknown, method: string, refuse: Refuse): void {
  const isList = Array.isArray(of) && of.length > 1
  if (!isList || !of.every((one: unknown) => isObject(one) && memberKinds.includes(one['kind'])))
    return refuse(`authz.of must be at least two of the kinds ${memberKinds.join(', ')}`)
  for (const one of of) checkAuthz(one, method, refuse)
}

function checkNamespace(from: unknown, refuse: Refuse): void {
  const isRead = isObject(from) && ['path', 'query', 'body'].includes(String(from['in']))
  if (isObject(from) && from['in'] === 'scope' && ['empty', 'denied'].includes(String(from['none']))) return
  if (isObject(from) && (from['in'] === 'cluster' || (isRead && typeof from['field'] === 'string'))) return
  refuse(
    "authz.namespace must be { in: 'path' | 'query' | 'body', field }, { in: 'cluster' } or { in: 'scope', none: 'empty' | 'denied' }",
  )
}

function checkGroup(group: unknown, resource: unknown, refuse: Refuse): void {
  if (group === undefined) return
  if (typeof group !== 'string') refuse('authz.group must be a string')
  if (String(resource).includes('.')) refuse('authz.resource must not name a group beside authz.group')
}

// Without the two parameters the whole cluster would be the only scope.
function refuseUnreadScope({ authz, query }: AnyEndpoint, refuse: Refuse): void {
  const scoped = reviewsOf(authz).filter(({ namespace }) => namespace.in === 'scope')
  if (scoped.some(({ group }) => group !== undefined)) refuse('a review of a scope names its group in authz.resource')
  const properties: unknown = query !== undefined && 'properties' in query ? query.properties : undefined
  if (scoped.length === 0 || (isObject(properties) && 'namespace' in properties && 'scope' in properties)) return
  refuse('a review of a scope needs the fields namespace and scope in the query')
}

// A stored response never reaches the handler, so access must be checked before.
function refuseUnreviewedReplay({ authz, idempotent, review: own }: AnyEndpoint, refuse: Refuse): void {
  const isReviewed = checksOf(authz).every(({ kind }) => kind === 'review')
  if (idempotent !== true || isReviewed || authz.kind === 'agent' || (authz.kind === 'row' && own !== undefined)) return
  refuse('an idempotent route needs a review that comes before its stored response')
}

// A check that reads the parsed body before the handler would find none.
function refuseUncheckedBody(endpoint: AnyEndpoint, refuse: Refuse): void {
  const { authz, audit, idempotent, handleYaml, handleFile, fileTypes } = endpoint
  if ((handleFile === undefined) !== (fileTypes === undefined)) refuse('handleFile and fileTypes must be set together')
  const name = handleYaml === undefined ? 'handleFile' : 'handleYaml'
  if (endpoint[name] === undefined || !(reviewsBody(authz) || idempotent === true || audit?.intent === true)) return
  refuse(`a route with ${name} has no review of its body, key or intent`)
}
