import { McpServer } from '#schemas/crds/mcp-server.ts'
import { annotate, collection, create, get, list, reviewed } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { nameOf, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'

const { plural } = McpServer
const url = 'https://tools.example.com/mcp'
const credential = { kind: 'bearer', value: 'matrix-token' }

const objectOf = (target: Target) => ({
  apiVersion: McpServer.apiVersion,
  kind: McpServer.kind,
  metadata: { namespace: target.namespace, name: nameOf(target) },
  spec: { url },
})

const createCredential = (target: Target): AccessRequest => ({
  method: 'POST',
  path: `/api/v1/namespaces/${target.namespace}/secrets?dryRun=All`,
  body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${nameOf(target)}-mcp-credential` } },
})

const at = (target: Target): string => `${collection(plural, target.namespace)}/${nameOf(target)}`

// The installation of the matrix requires no approvals.
function decision(below: string, body: object): RouteCase {
  return {
    over: 'objects',
    authz: 'review: approve mcpapprovals',
    request: (target) => ({
      method: 'POST',
      path: `/api/mcp/approvals/${target.namespace}/${nameOf(target)}${below}`,
      body,
    }),
    questions: (target) => [
      reviewed({ verb: 'approve', resource: 'mcpapprovals', namespace: target.namespace, name: nameOf(target) }),
      get(plural, target.namespace, nameOf(target)),
    ],
    allowed: () => ({ status: 409, code: 'approval_not_required' }),
  }
}

/** Cases of the routes that connect MCP servers. */
export const mcpRoutes: Readonly<Record<string, RouteCase>> = {
  'POST /api/mcpservers': {
    over: 'objects',
    authz: `kube: create ${plural}`,
    request: (target) => ({ method: 'POST', path: '/api/mcpservers?dryRun=All', body: objectOf(target) }),
    questions: (target) => [create(plural, target.namespace, objectOf(target))],
    allowed: ok(201),
  },
  'POST /api/mcp/connect': {
    over: 'objects',
    authz: `kube: create ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: '/api/mcp/connect?dryRun=All',
      body: { namespace: target.namespace, name: nameOf(target), url, credential },
    }),
    questions: (target) => [createCredential(target), create(plural, target.namespace, objectOf(target))],
    allowed: ok(201),
  },
  'POST /api/mcp/org-credential': {
    over: 'objects',
    authz: `kube: patch ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: '/api/mcp/org-credential?dryRun=All',
      body: { namespace: target.namespace, server: nameOf(target), credential: { kind: 'none' } },
    }),
    questions: (target) => [get(plural, target.namespace, nameOf(target)), annotate(at(target))],
    allowed: ok(204),
  },
  'GET /api/mcp/connectors': {
    over: 'namespaces',
    authz: `review: list ${plural}`,
    request: (target) => query('/mcp/connectors', target),
    questions: ({ namespace }) => [list(plural, namespace)],
    allowed: ok(200),
  },
  'POST /api/mcp/publish': {
    over: 'objects',
    authz: `review: publish ${plural}`,
    // The publication of no namespace changes no entry.
    request: (target) => ({
      method: 'POST',
      path: '/api/mcp/publish',
      body: {
        namespace: target.namespace,
        server: nameOf(target),
        title: 'Matrix',
        description: 'Matrix.',
        visibleTo: [],
      },
    }),
    questions: (target) => [
      reviewed({ verb: 'publish', resource: plural, namespace: target.namespace }),
      get(plural, target.namespace, nameOf(target)),
    ],
    allowed: ok(204),
  },
  'GET /api/mcp/approvals': {
    over: 'namespaces',
    authz: `kube: list ${plural}`,
    request: (target) => query('/mcp/approvals', target),
    questions: ({ namespace }) => [list(plural, namespace)],
    allowed: ok(200),
  },
  'POST /api/mcp/approvals/{ns}/{name}': decision('', { digest: `sha256:${'0'.repeat(64)}` }),
  'POST /api/mcp/approvals/{ns}/{name}/reject': decision('/reject', { reason: 'Matrix.' }),
  'GET /api/mcpservers/{ns}/{name}/references': {
    over: 'objects',
    authz: `kube: get ${plural}`,
    request: (target) => ({ path: `/api/mcpservers/${target.namespace}/${nameOf(target)}/references` }),
    questions: (target) => [get(plural, target.namespace, nameOf(target))],
    allowed: ok(200),
  },
}
