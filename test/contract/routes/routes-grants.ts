import { McpServer } from '#schemas/crds/mcp-server.ts'
import { get, virtual } from './raw-requests.ts'
import { bearerOnly, nameOf, nothing } from './route-case.ts'
import type { RouteCase } from './route-case.ts'

const { plural } = McpServer
const place = '/api/mcp/oauth'

/** Cases of the routes of grants. The server of the matrix takes no grants. */
export const grantRoutes: Readonly<Record<string, RouteCase>> = {
  'POST /api/mcp/oauth/grant': {
    over: 'objects',
    authz: `all: review: create mcpgrants and kube: get ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: `${place}/grant`,
      body: { namespace: target.namespace, server: nameOf(target) },
    }),
    questions: (target) => [
      virtual('create', 'mcpgrants', target.namespace),
      get(plural, target.namespace, nameOf(target)),
    ],
    allowed: ({ exists }) =>
      exists ? { status: 409, code: 'grant_not_supported' } : { status: 404, code: 'not_found' },
  },
  'POST /api/mcp/oauth/complete': {
    over: 'one',
    authz: 'owner',
    request: () => ({ method: 'POST', path: `${place}/complete`, body: { state: 'unknown', code: 'any' } }),
    questions: nothing,
    allowed: () => ({ status: 409, code: 'consent_invalid' }),
  },
  'GET /api/mcp/oauth/grants': { ...bearerOnly(`${place}/grants`), authz: 'owner' },
  'DELETE /api/mcp/oauth/grant/{server}': {
    over: 'objects',
    authz: 'owner',
    request: (target) => ({
      method: 'DELETE',
      path: `${place}/grant/${nameOf(target)}?namespace=${target.namespace}`,
    }),
    questions: nothing,
    allowed: () => ({ status: 404, code: 'not_found' }),
  },
}
