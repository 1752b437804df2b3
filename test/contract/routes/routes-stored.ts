import type { StoredSlot } from '#core/plugin/stored-slot.ts'
import { absentStore } from '#core/host/load/unconfigured-store.ts'
import { collection, virtual } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { found, nameOf, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'
import { storedSlots } from './world.ts'

/** Label that no declaration protects. */
const LABEL = 'matrix'

interface StoredRoute {
  readonly slot: StoredSlot
  readonly method: string
  /** Path of an object or of a collection. */
  readonly url: string
  readonly prefix: string
}

/** Cases of the routes of a stored resource, by method and path. The questions are written independently of the routes. */
export function storedCases(slot: StoredSlot, prefix = '/api'): Readonly<Record<string, RouteCase>> {
  const unused = async (): Promise<never> => {
    throw new Error('a declaration of routes reads nothing')
  }
  const core = { store: absentStore, observed: { find: unused, namespaceUid: unused }, now: () => new Date(0) }
  return Object.fromEntries(
    slot.routes(core, {}).map(({ method, url }) => {
      const path = `${prefix}${url.replaceAll(/:([a-z]+)/g, '{$1}')}`
      return [`${method} ${path}`, caseOf({ slot, method, url, prefix })]
    }),
  )
}

function caseOf(route: StoredRoute): RouteCase {
  const { slot, method, url } = route
  const { names, spec } = slot.resource
  const { plural, resource } = names
  const [, below] = url.split('/:name/')
  const isRevised = spec.revisions !== undefined
  if (!url.includes(':name'))
    return method === 'GET'
      ? {
          over: 'namespaces',
          authz: `row: list ${resource}`,
          request: (target) => ({ path: `${route.prefix}${query(url, target).path.slice('/api'.length)}` }),
          questions: ({ namespace }) => [virtual('list', plural, namespace)],
          allowed: ok(200),
        }
      : {
          over: 'objects',
          authz: `review: create ${resource}`,
          request: (target) => ({
            method,
            path: `${route.prefix}${url}?dryRun=All`,
            body: { namespace: target.namespace, name: nameOf(target), ...(spec.sample as object) },
          }),
          questions: (target) => [
            virtual('create', plural, target.namespace),
            ...(isRevised && target.exists ? [onObject(plural, 'PUT', target)] : []),
          ],
          allowed: ({ exists }) => createdStatus(slot, exists),
        }
  return { over: 'objects', ...onItem(route, below?.split('/') ?? []) }
}

function createdStatus({ resource: { spec, errors } }: StoredSlot, exists: boolean): ReturnType<RouteCase['allowed']> {
  if (!exists) return { status: 201 }
  // Equal content is no new revision.
  return spec.revisions === undefined ? { status: 409, code: errors.exists.code } : { status: 200 }
}

function onItem({ slot, method, url, prefix }: StoredRoute, [step]: readonly string[]): Omit<RouteCase, 'over'> {
  const { names, spec } = slot.resource
  const child = step === undefined ? undefined : spec.children?.[step]
  const verbs: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' }
  const subresource = child === undefined ? '' : `/${step}`
  const body = step === 'labels' && child === undefined ? { version: 1 } : (child?.sample ?? spec.sample)
  const path = (target: Target) =>
    prefix + url.replace(':ns', target.namespace).replace(':name', nameOf(target)).replace(':label', LABEL)
  const statuses: Readonly<Record<string, number>> = { GET: 200, POST: 201, PUT: 200, DELETE: 204 }
  return {
    authz: `review: ${verbs[method]} ${names.resource}${subresource}`,
    request: (target) => ({
      method,
      path: method === 'GET' ? path(target) : `${path(target)}?dryRun=All`,
      ...(method === 'POST' || method === 'PUT' ? { body } : {}),
    }),
    questions: (target) => [onObject(names.plural, method, target, subresource)],
    allowed: found(statuses[method] ?? 0),
  }
}

// A virtual resource is not served: a 404 or 405 comes after the authorization.
function onObject(plural: string, method: string, target: Target, subresource = ''): AccessRequest {
  const path = `${collection(plural, target.namespace)}/${nameOf(target)}${subresource}`
  return { method, path, virtual: true, ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}) }
}

/** Cases of the stored resources of built-in plugins. */
export const storedRoutes: Readonly<Record<string, RouteCase>> = Object.assign(
  {},
  ...storedSlots.map((slot) => storedCases(slot)),
)
