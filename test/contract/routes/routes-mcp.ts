import { McpServer } from '#schemas/crds/mcp-server.ts'
import { annotate, collection, create, get } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { nameOf, ok } from './route-case.ts'
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
  'GET /api/mcpservers/{ns}/{name}/references': {
    over: 'objects',
    authz: `kube: get ${plural}`,
    request: (target) => ({ path: `/api/mcpservers/${target.namespace}/${nameOf(target)}/references` }),
    questions: (target) => [get(plural, target.namespace, nameOf(target))],
    allowed: ok(200),
  },
}
