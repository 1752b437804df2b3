import { fixture, get, invoke, virtual } from './raw-requests.ts'
import { agents, bearerOnly, found, nameOf, nothing, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'
import type { World } from './world.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

const runOf = ({ namespace, exists }: Target, { runs }: World): string => (exists ? (runs[namespace] ?? '') : unknownId)

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
    questions: ({ namespace, exists }) =>
      // No review for a run that does not exist.
      !exists
        ? []
        : verb === 'get'
          ? [virtual('get', 'runs', namespace)]
          : [virtual('get', 'runs', namespace), virtual('update', 'runs', namespace)],
    allowed: (target) => (target.exists ? allowed(target) : { status: 404, code: 'not_found' }),
  }
}

// By the id of its run: who may get the run may read its trace.
function onTrace(suffix: string): RouteCase {
  return {
    ...onRun('GET', suffix, 'get', ok(200)),
    request: (target, world) => ({ method: 'GET', path: `/api/traces/${runOf(target, world)}${suffix}` }),
  }
}

function onShares(
  method: string,
  suffix: string,
  verb: 'create' | 'list' | 'delete',
  allowed: RouteCase['allowed'],
): RouteCase {
  return {
    over: 'objects',
    authz: `row: ${verb} runshares`,
    hides: true,
    request: (target, world) => ({
      method,
      path: `/api/runs/${runOf(target, world)}/shares${suffix}`,
      ...(method === 'POST' ? { body: {} } : {}),
    }),
    questions: ({ namespace, exists }) =>
      exists ? [virtual('get', 'runs', namespace), virtual(verb, 'runshares', namespace, unknownId)] : [],
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
    questions: (target) => [invoke(agents, target.namespace, nameOf(target))],
    allowed: found(status),
  }
}

/** Routes of runs. */
export const runRoutes: Readonly<Record<string, RouteCase>> = {
  'GET /api/runs': {
    over: 'namespaces',
    authz: 'row: list runs',
    request: (target) => query('/runs', target),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'GET /api/conversations': {
    over: 'namespaces',
    authz: 'row: list runs',
    request: (target) => query('/conversations', target),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'GET /api/conversations/{id}': {
    ...onRun('GET', '', 'get', ok(200)),
    request: ({ namespace, exists }) => ({ path: `/api/conversations/${exists ? `talk-${namespace}` : unknownId}` }),
  },
  'GET /api/subjects': {
    over: 'namespaces',
    authz: 'row: list runs',
    request: (target) => query('/subjects', target),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'GET /api/runs/stats': {
    over: 'namespaces',
    authz: 'review: list runs',
    request: (target) => query('/runs/stats', target),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'POST /api/runs': invoking('/api/runs', 201),
  'POST /api/invoke': invoking('/api/invoke', 200),
  'GET /api/agents/{ns}/{name}/a2a/.well-known/agent-card.json': {
    over: 'objects',
    authz: 'kube: get agentdeployments',
    request: (target) => ({
      path: `/api/agents/${target.namespace}/${nameOf(target)}/a2a/.well-known/agent-card.json`,
    }),
    questions: (target) => [get(agents, target.namespace, nameOf(target))],
    // The agents of the matrix are not exposed.
    allowed: () => ({ status: 404, code: 'not_found' }),
  },
  'POST /api/agents/{ns}/{name}/a2a': {
    over: 'objects',
    authz: 'review: create agentdeployments/invoke',
    request: (target) => ({
      method: 'POST',
      path: `/api/agents/${target.namespace}/${nameOf(target)}/a2a`,
      body: { jsonrpc: '2.0', id: 1, method: 'ListTasks' },
    }),
    questions: (target) => [
      invoke(agents, target.namespace, nameOf(target)),
      get(agents, target.namespace, nameOf(target)),
    ],
    allowed: () => ({ status: 404 }),
  },
  'POST /api/agents/{ns}/{name}/ag-ui': {
    over: 'objects',
    authz: 'review: create agentdeployments/invoke',
    request: (target) => ({
      method: 'POST',
      path: `/api/agents/${target.namespace}/${nameOf(target)}/ag-ui`,
      body: { threadId: 'contract', runId: 'contract', messages: [{ id: 'm', role: 'user', content: 'Hi.' }] },
    }),
    // The stream is the outcome of the run.
    questions: (target) => [invoke(agents, target.namespace, nameOf(target)), virtual('get', 'runs', target.namespace)],
    allowed: found(200),
  },
  'GET /api/runs/compare': {
    over: 'objects',
    authz: 'row: get runs',
    request: (target, world) => ({ path: `/api/runs/compare?a=${runOf(target, world)}&b=${runOf(target, world)}` }),
    questions: ({ namespace, exists }) => (exists ? [virtual('get', 'runs', namespace)] : []),
    allowed: found(200),
    hides: true,
  },
  'POST /api/runs/{id}/retry': {
    over: 'objects',
    authz: 'row: create agentdeployments/invoke',
    hides: true,
    request: (target, world) => ({ method: 'POST', path: `/api/runs/${runOf(target, world)}/retry`, body: {} }),
    questions: (target) =>
      target.exists ? [virtual('get', 'runs', target.namespace), invoke(agents, target.namespace, nameOf(target))] : [],
    allowed: found(201),
  },
  'GET /api/runs/{id}': onRun('GET', '', 'get', ok(200)),
  'GET /api/runs/{id}/tree': onRun('GET', '/tree', 'get', ok(200)),
  'GET /api/runs/{id}/events': onRun('GET', '/events', 'get', ok(200)),
  'POST /api/runs/{id}/resume': onRun('POST', '/resume', 'update', () => ({ status: 409, code: 'run_not_paused' })),
  'POST /api/runs/{id}/cancel': onRun('POST', '/cancel', 'update', () => ({ status: 409, code: 'run_terminal' })),
  'GET /api/traces': {
    over: 'namespaces',
    authz: 'row: list runs',
    request: (target) => query('/traces', target),
    questions: ({ namespace }) => [virtual('list', 'runs', namespace)],
    allowed: ok(200),
  },
  'GET /api/traces/{id}': onTrace(''),
  'GET /api/traces/{id}/detail': onTrace('/detail'),
  'GET /api/cost': {
    over: 'namespaces',
    authz: 'review: list costs',
    request: (target) => query('/cost', target),
    questions: ({ namespace }) => [virtual('list', 'costs', namespace)],
    allowed: ok(200),
  },
  'GET /api/cost/breakdown': {
    over: 'namespaces',
    authz: 'review: list costs',
    request: (target) => query('/cost/breakdown', target),
    questions: ({ namespace }) => [virtual('list', 'costs', namespace)],
    allowed: ok(200),
  },
  'GET /api/cost/forecast': {
    over: 'namespaces',
    authz: 'review: list costs',
    request: (target) => query('/cost/forecast', target),
    questions: ({ namespace }) => [virtual('list', 'costs', namespace)],
    allowed: ok(200),
  },
  'GET /api/cost/chargeback': {
    over: 'namespaces',
    authz: 'review: list costs',
    request: (target) => query('/cost/chargeback', target),
    questions: ({ namespace }) => [virtual('list', 'costs', namespace)],
    allowed: ok(200),
  },
  'GET /api/feedback': {
    over: 'namespaces',
    authz: 'row: list feedback',
    request: (target) => query('/feedback', target),
    questions: ({ namespace }) => [virtual('list', 'feedback', namespace)],
    allowed: ok(200),
  },
  'POST /api/feedback': {
    over: 'objects',
    authz: 'row: create feedback',
    hides: true,
    request: (target, world) => ({
      method: 'POST',
      path: '/api/feedback',
      body: { runId: runOf(target, world), value: 1 },
    }),
    questions: ({ namespace, exists }) =>
      exists ? [virtual('get', 'runs', namespace), virtual('create', 'feedback', namespace)] : [],
    allowed: found(202),
  },
  'GET /api/erasures': {
    over: 'namespaces',
    authz: 'row: list erasures',
    request: (target) => query('/erasures', target),
    questions: ({ namespace }) => [virtual('list', 'erasures', namespace)],
    allowed: ok(200),
  },
  'POST /api/erasures': {
    over: 'objects',
    authz: 'row: create erasures',
    // No account has this name.
    request: ({ namespace }) => ({
      method: 'POST',
      path: '/api/erasures',
      body: { subject: 'erased@contract.example', namespace },
    }),
    questions: ({ namespace }) => [virtual('create', 'erasures', namespace)],
    allowed: ok(202),
  },
  'GET /api/erasures/{id}': {
    over: 'objects',
    authz: 'row: get erasures',
    hides: true,
    request: ({ namespace, exists }, { erasures }) => ({
      path: `/api/erasures/${exists ? (erasures[namespace] ?? '') : unknownId}`,
    }),
    questions: ({ namespace, exists }) => (exists ? [virtual('get', 'erasures', namespace)] : []),
    allowed: found(200),
  },
  'POST /api/runs/{id}/shares': onShares('POST', '', 'create', ok(201)),
  'GET /api/runs/{id}/shares': onShares('GET', '', 'list', ok(200)),
  'DELETE /api/runs/{id}/shares/{shareId}': onShares('DELETE', `/${unknownId}`, 'delete', () => ({
    status: 404,
    code: 'not_found',
  })),
  'GET /api/my/shares': { ...bearerOnly('/api/my/shares'), authz: 'owner' },
  'GET /api/shared/runs/{token}': {
    over: 'one',
    public: true,
    authz: 'public',
    request: () => ({ path: `/api/shared/runs/mshr_${'A'.repeat(43)}` }),
    questions: nothing,
    allowed: () => ({ status: 404, code: 'not_found' }),
  },
  'GET /api/runs/{id}/fixture': {
    over: 'objects',
    authz: 'row: get runs/fixture',
    hides: true,
    request: (target, world) => ({ path: `/api/runs/${runOf(target, world)}/fixture` }),
    questions: (target, world) =>
      target.exists ? [virtual('get', 'runs', target.namespace), fixture(target.namespace, runOf(target, world))] : [],
    allowed: ({ exists }) => ({ status: 404, code: exists ? 'no_fixture' : 'not_found' }),
  },
}
