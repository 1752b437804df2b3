import type { RawRequest } from '#test/flows/platform/send.ts'
import { annotate, create, get, invoke, list, remove, replace, virtual } from './asks.ts'
import type { Ask } from './asks.ts'
import { agentNamed, EXISTING, MISSING, templateNamed } from './world.ts'
import type { World } from './world.ts'

/** What a cell is about: a namespace ('' is the cluster), and an object in it that exists or not. */
export interface Target {
  readonly namespace: string
  readonly exists: boolean
}

/**
 * How one route is asked, and what the API server is asked in its place, in order: the first refusal is the expected
 * answer. This is what the route claims to check, written apart from the route, so that a changed check is seen.
 */
export interface RouteCase {
  /** `objects`: namespaces x existing and missing. `namespaces`: each and the whole cluster. `one`: nothing to vary. */
  readonly over: 'objects' | 'namespaces' | 'one'
  /** As `x-mesh-authz` of the OpenAPI document must say. */
  readonly authz: string
  request(target: Target, world: World): RawRequest
  asks(target: Target, world: World): readonly Ask[]
  /** The status once the cluster allowed everything; a code where it is an error of our own. */
  allowed(target: Target): { readonly status: number; readonly code?: string }
  /** A refusal of the first question reads as an unknown object. */
  readonly hides?: true
  /** A refusal is told by the gateway in its words: the cluster's message as the detail. */
  readonly told?: true
  /** Answers before anybody is asked who the bearer is. */
  readonly gated?: true
}

const agents = 'agentdeployments'
const templates = 'agenttemplates'
const nameOf = ({ exists }: Target): string => (exists ? EXISTING : MISSING)
const ok = (status: number) => () => ({ status })
const found = (status: number) => (target: Target) => (target.exists ? { status } : { status: 404, code: 'not_found' })
const query = (path: string, { namespace }: Target) => ({ path: `/api${path}?namespace=${namespace}` })
const nothing = (): readonly Ask[] => []
const getAgent = (target: Target): Ask => get(agents, target.namespace, nameOf(target))
const revisions = ({ namespace }: Target): Ask => ({
  path: `/apis/apps/v1/namespaces/${namespace}/controllerrevisions?limit=1`,
})
const runOf = ({ namespace, exists }: Target, { runs }: World): string =>
  exists ? (runs[namespace] ?? '') : '01900000-0000-7000-8000-000000000000'

function bearerOnly(path: string, more: Partial<RawRequest> = {}): RouteCase {
  return { over: 'one', authz: 'bearer', request: () => ({ path, ...more }), asks: nothing, allowed: ok(200) }
}

function onAgent(suffix: string, authz: string, more: Partial<RawRequest> = {}) {
  return {
    over: 'objects' as const,
    authz,
    request: (target: Target): RawRequest => ({
      path: `/api/agents/${target.namespace}/${nameOf(target)}${suffix}`,
      ...more,
    }),
  }
}

function onRun(method: string, suffix: string, verb: 'get' | 'update', allowed: RouteCase['allowed']): RouteCase {
  return {
    over: 'objects',
    authz: `row: ${verb} runs`,
    hides: true,
    request: (target, world) => ({
      method,
      path: `/api/runs/${runOf(target, world)}${suffix}`,
      ...(suffix === '/resume' ? { body: {} } : {}),
    }),
    asks: ({ namespace, exists }) =>
      // Nobody is asked about a run that is not there.
      !exists
        ? []
        : verb === 'get'
          ? [virtual('get', 'runs', namespace)]
          : [virtual('get', 'runs', namespace), virtual('update', 'runs', namespace)],
    allowed: (target) => (target.exists ? allowed(target) : { status: 404, code: 'not_found' }),
  }
}

function invoking(path: string, status: number): RouteCase {
  return {
    over: 'objects',
    authz: 'review: create agentdeployments/invoke',
    request: (target) => ({
      method: 'POST',
      path,
      body: { agent: { namespace: target.namespace, name: nameOf(target) }, input: 'Hi.' },
    }),
    asks: (target) => [invoke(agents, target.namespace, nameOf(target))],
    allowed: found(status),
  }
}

function generating(path: string, body: object): RouteCase {
  return {
    over: 'objects',
    authz: 'bearer',
    told: true,
    request: (target) => ({
      method: 'POST',
      path,
      body: { ...body, namespace: target.namespace, route: target.exists ? 'mock' : MISSING },
    }),
    asks: (target) => [invoke('modelroutes', target.namespace, target.exists ? 'mock' : MISSING)],
    allowed: found(200),
  }
}

const config = { name: 'matrix', model: { route: 'mock' }, systemPrompt: 'Hi.' }

/** Every route below `/api`, by method and path. A route that is mounted and not here fails the suite. */
export const routes: Readonly<Record<string, RouteCase>> = {
  'GET /api/agents': {
    over: 'namespaces',
    authz: `kube: list ${agents}`,
    request: (target) => query('/agents', target),
    asks: ({ namespace }) => [list(agents, namespace)],
    allowed: ok(200),
  },
  'POST /api/agents': {
    over: 'objects',
    authz: `kube: create ${agents}`,
    request: (target) => ({
      method: 'POST',
      path: '/api/agents?dryRun=All',
      body: agentNamed(target.namespace, nameOf(target)),
    }),
    asks: (target) => [create(agents, target.namespace, agentNamed(target.namespace, nameOf(target)))],
    allowed: ok(201),
  },
  'GET /api/agents/{ns}/{name}': {
    ...onAgent('', `kube: get ${agents}`),
    asks: (target) => [getAgent(target)],
    allowed: ok(200),
  },
  'PUT /api/agents/{ns}/{name}': {
    over: 'objects',
    authz: `kube: update ${agents}`,
    request: (target) => ({
      method: 'PUT',
      path: `/api/agents/${target.namespace}/${nameOf(target)}?dryRun=All`,
      body: agentNamed(target.namespace, nameOf(target)),
    }),
    asks: (target, { agents: known }) => {
      const body = { ...agentNamed(target.namespace, nameOf(target)) }
      const metadata = { ...body.metadata, resourceVersion: known[target.namespace]?.metadata.resourceVersion ?? '' }
      const at = { namespace: target.namespace, name: nameOf(target) }
      return [getAgent(target), replace(agents, at, { ...body, metadata })]
    },
    allowed: ok(200),
  },
  'DELETE /api/agents/{ns}/{name}': {
    ...onAgent('?dryRun=All', `kube: delete ${agents}`, { method: 'DELETE' }),
    asks: (target) => [remove(agents, target.namespace, nameOf(target))],
    allowed: ok(204),
  },
  'POST /api/agents/{ns}/{name}/fork': {
    ...onAgent('/fork?dryRun=All', `kube: create ${agents}`, { method: 'POST', body: { name: 'forked' } }),
    asks: (target) => [getAgent(target), create(agents, target.namespace, agentNamed(target.namespace, 'forked'))],
    allowed: ok(201),
  },
  'POST /api/agents/{ns}/{name}/publish': {
    ...onAgent('/publish?dryRun=All', `kube: create ${templates}`, {
      method: 'POST',
      body: { name: 'published', title: 'Published' },
    }),
    asks: (target) => [
      getAgent(target),
      create(templates, target.namespace, templateNamed(target.namespace, 'published')),
    ],
    allowed: ok(201),
  },
  'POST /api/agents/{ns}/{name}/rollback': {
    ...onAgent('/rollback?dryRun=All', `kube: patch ${agents}`, { method: 'POST', body: { revision: 1 } }),
    asks: (target) => [getAgent(target), revisions(target), annotate(getAgent(target).path)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/versions': {
    ...onAgent('/versions', 'kube: list controllerrevisions.apps'),
    asks: (target) => [getAgent(target), revisions(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/versions/diff': {
    ...onAgent('/versions/diff?from=1', 'kube: list controllerrevisions.apps'),
    asks: (target) => [getAgent(target), revisions(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/logs': {
    ...onAgent('/logs?tail=1', 'kube: get pods/log'),
    asks: (target, { pods }) => [
      getAgent(target),
      { path: `/api/v1/namespaces/${target.namespace}/pods?limit=1` },
      { path: `/api/v1/namespaces/${target.namespace}/pods/${pods[target.namespace]}/log?tailLines=1` },
    ],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/references': {
    ...onAgent('/references', `kube: get ${agents}`),
    asks: (target) => [getAgent(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/runs': {
    ...onAgent('/runs', 'review: list runs'),
    asks: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: found(200),
  },
  'GET /api/usedby': {
    over: 'objects',
    authz: `kube: list ${agents}`,
    request: (target) => ({
      path: `/api/usedby?kind=ModelRoute&namespace=${target.namespace}&name=${target.exists ? 'mock' : MISSING}`,
    }),
    // Whoever may list the cluster may list the namespace; the namespace is what remains to be refused.
    asks: ({ namespace }) => [list(agents, namespace)],
    allowed: ok(200),
  },
  'POST /api/expand': bearerOnly('/api/expand', { method: 'POST', body: { config } }),
  'POST /api/agents/check-requirements': bearerOnly('/api/agents/check-requirements', {
    method: 'POST',
    body: { namespace: 'demo', config },
  }),
  'POST /api/agents/generate': generating('/api/agents/generate', { prompt: 'An agent that greets.' }),
  'POST /api/agents/refine': generating('/api/agents/refine', { config, instruction: 'Greet twice.' }),
  'GET /api/whoami': bearerOnly('/api/whoami'),
  'GET /api/capabilities': bearerOnly('/api/capabilities'),
  'GET /api/health': bearerOnly('/api/health'),
  'GET /api/recipes': bearerOnly('/api/recipes'),
  'GET /api/namespaces': {
    over: 'one',
    authz: 'kube: list namespaces',
    request: () => ({ path: '/api/namespaces' }),
    asks: () => [{ path: '/api/v1/namespaces?limit=1' }],
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
    asks: ({ namespace, exists }) => [annotate(`/api/v1/namespaces/${exists ? namespace : MISSING}`)],
    allowed: ok(200),
  },
  'GET /api/templates': {
    over: 'namespaces',
    authz: `kube: list ${templates}`,
    request: (target) => query('/templates', target),
    asks: ({ namespace }) => [list(templates, namespace)],
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
    asks: (target) => [create(templates, target.namespace, templateNamed(target.namespace, nameOf(target)))],
    allowed: ok(201),
  },
  'DELETE /api/templates/{kind}/{namespace}/{name}': {
    over: 'objects',
    authz: `kube: delete ${templates}`,
    request: (target) => ({
      method: 'DELETE',
      path: `/api/templates/agent/${target.namespace}/${nameOf(target)}?dryRun=All`,
    }),
    asks: (target) => [
      get(templates, target.namespace, nameOf(target)),
      remove(templates, target.namespace, nameOf(target)),
    ],
    allowed: ok(204),
  },
  'GET /api/runs': {
    over: 'namespaces',
    authz: 'row: list runs',
    request: (target) => query('/runs', target),
    asks: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'POST /api/runs': invoking('/api/runs', 201),
  'POST /api/invoke': invoking('/api/invoke', 200),
  'GET /api/runs/{id}': onRun('GET', '', 'get', ok(200)),
  'GET /api/runs/{id}/tree': onRun('GET', '/tree', 'get', ok(200)),
  'GET /api/runs/{id}/events': onRun('GET', '/events', 'get', ok(200)),
  'POST /api/runs/{id}/resume': onRun('POST', '/resume', 'update', () => ({ status: 409, code: 'run_not_paused' })),
  'POST /api/runs/{id}/cancel': onRun('POST', '/cancel', 'update', () => ({ status: 409, code: 'run_terminal' })),
  'GET /api/runs/{id}/fixture': {
    over: 'objects',
    gated: true,
    authz: 'row: get runs/fixture',
    request: (target, world) => ({ path: `/api/runs/${runOf(target, world)}/fixture` }),
    // Nothing records yet: the gate answers before anybody is asked.
    asks: nothing,
    allowed: () => ({ status: 501, code: 'not_wired' }),
  },
  'GET /api/events': {
    over: 'namespaces',
    authz: 'review: watch events',
    request: (target) => ({ ...query('/events', target), headersOnly: true }),
    asks: ({ namespace }) => [virtual('watch', 'events', namespace)],
    allowed: ok(200),
  },
  'GET /api/audit': {
    over: 'namespaces',
    authz: 'review: list auditlogs',
    request: (target) => query('/audit', target),
    asks: ({ namespace }) => [virtual('list', 'auditlogs', namespace)],
    allowed: ok(200),
  },
}
