import type { RawRequest } from '#test/flows/platform/send.ts'
import { annotate, create, get, invoke, list, virtual } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { agents, bearerOnly, found, nameOf, ok, query, templates } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'
import { agentNamed, MISSING, templateNamed } from './world.ts'

const getAgent = (target: Target): AccessRequest => get(agents, target.namespace, nameOf(target))
const revisions = ({ namespace }: Target): AccessRequest => ({
  path: `/apis/apps/v1/namespaces/${namespace}/controllerrevisions?limit=1`,
})
function generating(path: string, body: object): RouteCase {
  return {
    over: 'objects',
    authz: 'bearer',
    refusedByGateway: true,
    request: (target) => ({
      method: 'POST',
      path,
      body: { ...body, namespace: target.namespace, route: target.exists ? 'mock' : MISSING },
    }),
    questions: (target) => [invoke('modelroutes', target.namespace, target.exists ? 'mock' : MISSING)],
    allowed: found(200),
  }
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

function agentConfig(path: string, body: object): Readonly<Record<string, RouteCase>> {
  const url = `/api/agents/{ns}/{name}/${path}`
  return {
    [`GET ${url}`]: {
      ...onAgent(`/${path}`, `kube: get ${agents}`),
      questions: (target) => [getAgent(target)],
      allowed: ok(200),
    },
    [`PUT ${url}`]: {
      ...onAgent(`/${path}?dryRun=All`, `kube: patch ${agents}`, { method: 'PUT', body }),
      questions: (target) => [annotate(getAgent(target).path)],
      allowed: ok(200),
    },
  }
}

const config = { name: 'matrix', model: { route: 'mock' }, systemPrompt: 'Hi.' }

/** Routes of agents and their subresources. */
export const agentRoutes: Readonly<Record<string, RouteCase>> = {
  'GET /api/agents': {
    over: 'namespaces',
    authz: `kube: list ${agents}`,
    request: (target) => query('/agents', target),
    questions: ({ namespace }) => [list(agents, namespace)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}': {
    ...onAgent('?include=can,pods,events,budget', `kube: get ${agents}`),
    questions: (target) => [getAgent(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/effective': {
    ...onAgent('/effective', `kube: get ${agents}`),
    questions: (target) => [getAgent(target)],
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
    questions: (target) => [create(agents, target.namespace, agentNamed(target.namespace, nameOf(target)))],
    allowed: ok(201),
  },
  'POST /api/agents/{ns}/{name}/fork': {
    ...onAgent('/fork?dryRun=All', `kube: create ${agents}`, { method: 'POST', body: { name: 'forked' } }),
    questions: (target) => [getAgent(target), create(agents, target.namespace, agentNamed(target.namespace, 'forked'))],
    allowed: ok(201),
  },
  'POST /api/agents/{ns}/{name}/publish': {
    ...onAgent('/publish?dryRun=All', `kube: create ${templates}`, {
      method: 'POST',
      body: { name: 'published', title: 'Published' },
    }),
    questions: (target) => [
      getAgent(target),
      create(templates, target.namespace, templateNamed(target.namespace, 'published')),
    ],
    allowed: ok(201),
  },
  'POST /api/agents/{ns}/{name}/rollback': {
    ...onAgent('/rollback?dryRun=All', `kube: patch ${agents}`, { method: 'POST', body: { revision: 1 } }),
    questions: (target) => [getAgent(target), revisions(target), annotate(getAgent(target).path)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/versions': {
    ...onAgent('/versions', 'kube: list controllerrevisions.apps'),
    questions: (target) => [getAgent(target), revisions(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/versions/diff': {
    ...onAgent('/versions/diff?from=1', 'kube: list controllerrevisions.apps'),
    questions: (target) => [getAgent(target), revisions(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/logs': {
    ...onAgent('/logs?tail=1', 'kube: get pods/log'),
    questions: (target, { pods }) => [
      getAgent(target),
      { path: `/api/v1/namespaces/${target.namespace}/pods?limit=1` },
      { path: `/api/v1/namespaces/${target.namespace}/pods/${pods[target.namespace]}/log?tailLines=1` },
    ],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/references': {
    ...onAgent('/references', `kube: get ${agents}`),
    questions: (target) => [getAgent(target)],
    allowed: ok(200),
  },
  'GET /api/agents/{ns}/{name}/runs': {
    ...onAgent('/runs', 'review: list runs'),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: found(200),
  },
  ...agentConfig('sessionmemory', { session: { ttl: '1h' } }),
  ...agentConfig('longtermmemory', { longTerm: { ttl: '90d' } }),
  ...agentConfig('tracepolicy', { tracePolicy: { capture: 'full', redact: ['email'] } }),
  'GET /api/agents/{ns}/{name}/memory': {
    ...onAgent('/memory', 'review: list agentmemories'),
    questions: ({ namespace }) => [virtual('list', 'agentmemories', namespace)],
    allowed: found(200),
  },
  'GET /api/usedby': {
    over: 'objects',
    authz: `kube: list ${agents}`,
    request: (target) => ({
      path: `/api/usedby?kind=ModelRoute&namespace=${target.namespace}&name=${target.exists ? 'mock' : MISSING}`,
    }),
    // A caller with `list` on the cluster may list each namespace, so only the namespace needs a check.
    questions: ({ namespace }) => [list(agents, namespace)],
    allowed: ok(200),
  },
  'POST /api/expand': bearerOnly('/api/expand', { method: 'POST', body: { config } }),
  'POST /api/agents/check-requirements': bearerOnly('/api/agents/check-requirements', {
    method: 'POST',
    body: { namespace: 'demo', config },
  }),
  'POST /api/agents/generate': generating('/api/agents/generate', { prompt: 'An agent that greets.' }),
  'POST /api/agents/refine': generating('/api/agents/refine', { config, instruction: 'Greet twice.' }),
}
