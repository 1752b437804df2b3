import { annotate, create, get, list, remove, virtual } from './raw-requests.ts'
import { agents, bearerOnly, nameOf, ok, query, templates } from './route-case.ts'
import type { RouteCase } from './route-case.ts'
import { agentRoutes } from './routes-agents.ts'
import { datasetRoutes } from './routes-datasets.ts'
import { evalRoutes } from './routes-evals.ts'
import { kindRoutes } from './routes-kinds.ts'
import { mcpRoutes } from './routes-mcp.ts'
import { grantRoutes } from './routes-grants.ts'
import { promptRoutes } from './routes-prompts.ts'
import { providerRoutes } from './routes-providers.ts'
import { storedRoutes } from './routes-stored.ts'
import { tenantRoutes } from './routes-tenants.ts'
import { knowledgeRoutes } from './routes-knowledge.ts'
import { runRoutes } from './routes-runs.ts'
import { MISSING, templateNamed } from './world.ts'

/** Every route below `/api`, by method and path. The suite fails for a mounted route without a case. */
export const routes: Readonly<Record<string, RouteCase>> = {
  ...kindRoutes,
  ...storedRoutes,
  ...promptRoutes,
  ...agentRoutes,
  ...datasetRoutes,
  ...evalRoutes,
  'GET /api/whoami': bearerOnly('/api/whoami'),
  'GET /api/capabilities': bearerOnly('/api/capabilities'),
  'GET /api/version': bearerOnly('/api/version'),
  'GET /api/summary': bearerOnly('/api/summary'),
  'GET /api/health': bearerOnly('/api/health'),
  'GET /api/recipes': bearerOnly('/api/recipes'),
  'GET /api/namespaces': {
    over: 'one',
    authz: 'kube: list namespaces',
    request: () => ({ path: '/api/namespaces' }),
    questions: () => [{ path: '/api/v1/namespaces?limit=1' }],
    allowed: ok(200),
  },
  'PUT /api/namespaces/{name}/display-name': {
    over: 'objects',
    authz: 'kube: patch namespaces',
    request: ({ namespace, exists }) => ({
      method: 'PUT',
      path: `/api/namespaces/${exists ? namespace : MISSING}/display-name?dryRun=All`,
      body: { displayName: 'Matrix' },
    }),
    questions: ({ namespace, exists }) => [annotate(`/api/v1/namespaces/${exists ? namespace : MISSING}`)],
    allowed: ok(200),
  },
  'POST /api/guardrailpolicies/{ns}/{name}/try': {
    over: 'objects',
    authz: 'kube: get guardrailpolicies',
    request: (target) => ({
      method: 'POST',
      path: `/api/guardrailpolicies/${target.namespace}/${nameOf(target)}/try`,
      body: { stage: 'request', body: 'Hi.' },
    }),
    questions: (target) => [get('guardrailpolicies', target.namespace, nameOf(target))],
    allowed: ok(200),
  },
  'GET /api/topology': {
    over: 'namespaces',
    authz: `kube: list ${agents}`,
    request: (target) => query('/topology', target),
    questions: ({ namespace }) => [list(agents, namespace)],
    allowed: ok(200),
  },
  'GET /api/tools': catalogOf('/tools'),
  'GET /api/catalog': catalogOf('/catalog'),
  'GET /api/templates': {
    over: 'namespaces',
    authz: `kube: list ${templates}`,
    request: (target) => query('/templates', target),
    questions: ({ namespace }) => [list(templates, namespace)],
    allowed: ok(200),
  },
  'POST /api/templates': {
    over: 'objects',
    authz: `kube: create ${templates}`,
    request: (target) => ({
      method: 'POST',
      path: '/api/templates?dryRun=All',
      body: templateNamed(target.namespace, nameOf(target)),
    }),
    questions: (target) => [create(templates, target.namespace, templateNamed(target.namespace, nameOf(target)))],
    allowed: ok(201),
  },
  'DELETE /api/templates/{kind}/{namespace}/{name}': {
    over: 'objects',
    authz: `kube: delete ${templates}`,
    request: (target) => ({
      method: 'DELETE',
      path: `/api/templates/agent/${target.namespace}/${nameOf(target)}?dryRun=All`,
    }),
    questions: (target) => [
      get(templates, target.namespace, nameOf(target)),
      remove(templates, target.namespace, nameOf(target)),
    ],
    allowed: ok(204),
  },
  ...runRoutes,
  ...knowledgeRoutes,
  ...tenantRoutes,
  ...mcpRoutes,
  ...providerRoutes,
  ...grantRoutes,
  'GET /api/events': {
    over: 'namespaces',
    authz: 'review: watch events',
    refusesNone: true,
    request: (target) => ({ ...query('/events', target), headersOnly: true }),
    questions: ({ namespace }) => [virtual('watch', 'events', namespace)],
    allowed: ok(200),
  },
  'GET /api/audit': {
    over: 'namespaces',
    authz: 'review: list auditlogs',
    refusesNone: true,
    request: (target) => query('/audit', target),
    questions: ({ namespace }) => [virtual('list', 'auditlogs', namespace)],
    allowed: ok(200),
  },
  'GET /api/audit/export': {
    over: 'namespaces',
    authz: 'review: list auditlogs',
    refusesNone: true,
    request: (target) => {
      const { path } = query('/audit/export', target)
      return { path: `${path}${path.includes('?') ? '&' : '?'}from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z` }
    },
    questions: ({ namespace }) => [virtual('list', 'auditlogs', namespace)],
    allowed: ok(200),
  },
}

// The catalog of tools has two paths.
function catalogOf(path: string): RouteCase {
  return {
    over: 'namespaces',
    authz: 'kube: list mcpservers',
    request: (target) => query(path, target),
    questions: ({ namespace }) => [list('mcpservers', namespace)],
    allowed: ok(200),
  }
}
