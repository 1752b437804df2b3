import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { get, list, reviewed } from './raw-requests.ts'
import { agents, nameOf, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'

const { plural } = EvalSuite
const agentOf = (target: Target): string => nameOf(target)
const at = (target: Target, below: string): string => `/api/evalsuites/${target.namespace}/${nameOf(target)}${below}`
const may = (verb: string, resource: string, { namespace, ...target }: Target) =>
  reviewed({ verb, resource, namespace, name: nameOf({ namespace, ...target }) })
const unknownId = '00000000-0000-7000-8000-000000000000'

/** Cases of the routes of evaluations. */
export const evalRoutes: Readonly<Record<string, RouteCase>> = {
  'POST /api/evalsuites/{ns}/{name}/runs': {
    over: 'objects',
    authz: `review: create ${plural}/runs`,
    request: (target) => ({ method: 'POST', path: at(target, '/runs'), body: { agent: agentOf(target) } }),
    questions: (target) => [
      may('create', `${plural}/runs`, target),
      may('create', 'agentdeployments/invoke', target),
      get(plural, target.namespace, nameOf(target)),
      get(agents, target.namespace, agentOf(target)),
    ],
    allowed: () => ({ status: 202 }),
  },
  'DELETE /api/evalsuites/{ns}/{name}/runs/{id}': {
    over: 'objects',
    authz: `review: delete ${plural}/runs`,
    request: (target) => ({ method: 'DELETE', path: at(target, `/runs/${unknownId}`) }),
    questions: (target) => [may('delete', `${plural}/runs`, target)],
    allowed: () => ({ status: 404, code: 'not_found' }),
  },
  'GET /api/evalsuites/{ns}/{name}/results': {
    over: 'objects',
    authz: 'review: get evalresults',
    request: (target) => ({ path: at(target, '/results') }),
    questions: (target) => [may('get', 'evalresults', target)],
    allowed: (target) => (target.exists ? { status: 200 } : { status: 404, code: 'not_found' }),
  },
  'GET /api/agents/{ns}/{name}/online-score': {
    over: 'objects',
    authz: 'review: get evalresults',
    request: (target) => ({ path: `/api/agents/${target.namespace}/${nameOf(target)}/online-score` }),
    questions: (target) => [may('get', 'evalresults', target)],
    allowed: (target) => (target.exists ? { status: 200 } : { status: 404, code: 'not_found' }),
  },
  'POST /api/evalsuites/{ns}/{name}/override': {
    over: 'objects',
    authz: `review: override ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: at(target, '/override'),
      body: { agent: agentOf(target), revision: 1, reason: 'Reviewed by hand.' },
    }),
    questions: (target) => [may('override', plural, target), get(agents, target.namespace, agentOf(target))],
    allowed: () => ({ status: 409, code: 'not_gated' }),
  },
  'GET /api/metrics/eval-gated': {
    over: 'namespaces',
    authz: `kube: list ${agents}`,
    request: (target) => query('/metrics/eval-gated', target),
    questions: ({ namespace }) => [list(agents, namespace)],
    allowed: () => ({ status: 200 }),
  },
}
