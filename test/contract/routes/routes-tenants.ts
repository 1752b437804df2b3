import { collection, create, get, list, virtual } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { found, nameOf, ok } from './route-case.ts'
import type { RouteCase } from './route-case.ts'
import { tenantNamed } from './tenant-named.ts'

const usageNamed = (name: string): AccessRequest => ({
  path: `${collection('tenantusage', '')}/${name}`,
  virtual: true,
})

/** Cases of the routes of tenants. */
export const tenantRoutes: Readonly<Record<string, RouteCase>> = {
  'GET /api/tenants': {
    over: 'one',
    authz: 'kube: list tenants',
    request: () => ({ path: '/api/tenants' }),
    questions: () => [list('tenants', '')],
    allowed: ok(200),
  },
  'POST /api/tenants': {
    over: 'objects',
    authz: 'kube: create tenants',
    request: (target) => ({
      method: 'POST',
      path: '/api/tenants?dryRun=All',
      body: tenantNamed(nameOf(target)),
    }),
    questions: (target) => [create('tenants', '', tenantNamed(nameOf(target)))],
    allowed: ok(201),
  },
  'GET /api/tenants/{name}': {
    over: 'objects',
    authz: 'kube: get tenants',
    request: (target) => ({ path: `/api/tenants/${nameOf(target)}` }),
    questions: (target) => [get('tenants', '', nameOf(target))],
    allowed: ok(200),
  },
  'GET /api/tenants/usage': {
    over: 'one',
    authz: 'review: list tenantusage',
    request: () => ({ path: '/api/tenants/usage' }),
    questions: () => [virtual('list', 'tenantusage', '')],
    allowed: ok(200),
  },
  'GET /api/tenants/{name}/usage': {
    over: 'objects',
    authz: 'review: get tenantusage',
    request: (target) => ({ path: `/api/tenants/${nameOf(target)}/usage` }),
    questions: (target) => [usageNamed(nameOf(target))],
    allowed: found(200),
  },
}
