import type { RawRequest } from '#test/flows/platform/send.ts'
import { reviewed, virtual } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { found, nameOf, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'
import type { World } from './world.ts'

type Verb = 'get' | 'create' | 'update' | 'delete'

/** Case of each dataset. */
export const CASE = 'hello'
const unknownId = '01900000-0000-7000-8000-000000000000'
const missing = () => ({ status: 404, code: 'not_found' })

// The review names the dataset, also of `create`: no request to the API server does.
const ask = (verb: Verb, target: Target): AccessRequest =>
  reviewed({ verb, resource: 'datasets', namespace: target.namespace, name: nameOf(target) })

const path = (target: Target, suffix = '') => `/api/datasets/${nameOf(target)}${suffix}?namespace=${target.namespace}`

function onDataset(
  verb: Verb,
  request: RawRequest & { readonly path: string },
  allowed: RouteCase['allowed'] = found(200),
): RouteCase {
  const { path: suffix, ...sent } = request
  return {
    over: 'objects',
    authz: `review: ${verb} datasets`,
    request: (target) => ({ ...sent, path: path(target, suffix) }),
    questions: (target) => [ask(verb, target)],
    allowed,
  }
}

function onLabels(verb: 'list' | 'create', sent: Omit<RawRequest, 'path'>, status: number): RouteCase {
  return {
    over: 'objects',
    authz: `review: ${verb} datasetlabels`,
    request: (target) => ({ ...sent, path: path(target, `/cases/${CASE}/labels`) }),
    questions: ({ namespace }) => [virtual(verb, 'datasetlabels', namespace)],
    allowed: found(status),
  }
}

const runOf = ({ namespace }: Target, { runs }: World): string => runs[namespace] ?? unknownId

/** Cases of the routes of datasets. */
export const datasetRoutes: Readonly<Record<string, RouteCase>> = {
  'GET /api/datasets': {
    over: 'namespaces',
    authz: 'row: list datasets',
    request: (target) => query('/datasets', target),
    questions: ({ namespace }) => [virtual('list', 'datasets', namespace)],
    allowed: ok(200),
  },
  'GET /api/datasets/{name}': onDataset('get', { path: '' }),
  'PUT /api/datasets/{name}': {
    ...onDataset('update', { method: 'PUT', path: '', body: { description: 'Matrix.' } }),
    questions: (target) => [ask('update', target), ...(target.exists ? [] : [ask('create', target)])],
    // A version that no dataset has: nothing is created.
    request: (target) => ({
      method: 'PUT',
      path: path(target),
      body: target.exists ? { description: 'Matrix.' } : {},
      headers: target.exists ? {} : { 'if-match': '"999"' },
    }),
    allowed: ({ exists }) => ({ status: exists ? 200 : 412, ...(exists ? {} : { code: 'precondition_failed' }) }),
  },
  'DELETE /api/datasets/{name}': {
    ...onDataset('delete', { path: '' }),
    request: (target) => ({ method: 'DELETE', path: path(target), headers: { 'if-match': '"999"' } }),
    allowed: ({ exists }) => ({ status: exists ? 412 : 404, code: exists ? 'precondition_failed' : 'not_found' }),
  },
  'GET /api/datasets/{name}/cases': onDataset('get', { path: '/cases' }),
  'GET /api/datasets/{name}/cases/{caseId}': onDataset('get', { path: `/cases/${CASE}` }),
  'PUT /api/datasets/{name}/cases/{caseId}': onDataset('update', {
    method: 'PUT',
    path: `/cases/${CASE}`,
    body: { input: 'Hi.' },
  }),
  'DELETE /api/datasets/{name}/cases/{caseId}': onDataset('delete', { method: 'DELETE', path: '/cases/none' }, missing),
  'POST /api/datasets/{name}/cases/import': onDataset('create', {
    method: 'POST',
    path: '/cases/import',
    body: { cases: [{ id: CASE, input: 'Hi.' }] },
  }),
  'POST /api/datasets/{name}/cases/from-run': {
    ...onDataset('create', { path: '' }),
    request: (target, world) => ({
      method: 'POST',
      path: path(target, '/cases/from-run'),
      body: { runId: target.exists ? runOf(target, world) : unknownId },
    }),
    allowed: ({ exists }) => (exists ? { status: 200 } : { status: 404, code: 'not_found' }),
  },
  'GET /api/datasets/{name}/cases/{caseId}/labels': onLabels('list', {}, 200),
  'POST /api/datasets/{name}/cases/{caseId}/labels': onLabels(
    'create',
    { method: 'POST', body: { name: 'correct', dataType: 'boolean', value: true } },
    201,
  ),
  'POST /api/datasets/{name}/pin': onDataset('create', { method: 'POST', path: '/pin', body: {} }),
  'GET /api/datasets/{name}/pins': onDataset('get', { path: '/pins' }),
  'GET /api/datasets/{name}/pins/{version}': onDataset('get', { path: '/pins/1' }),
  'POST /api/datasets/{name}/export': {
    ...onDataset('create', { path: '' }),
    request: (target) => ({
      method: 'POST',
      path: path(target, '/export'),
      body: { format: 'ndjson', filter: { limit: 1 } },
    }),
    questions: (target) => [
      ask('create', target),
      virtual('list', 'runs', target.namespace),
      virtual('get', 'runs', target.namespace),
    ],
    allowed: ok(202),
  },
  'GET /api/datasets/{name}/exports/{runId}': onDataset('get', { path: `/exports/${unknownId}` }, missing),
}
