import { collection } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { found, nameOf } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'

const methods = { get: 'GET', create: 'POST', delete: 'DELETE' } as const

function onDocuments(verb: keyof typeof methods, target: Target): AccessRequest {
  const path = `${collection('knowledgebases', target.namespace)}/${nameOf(target)}/documents`
  return { method: methods[verb], path, virtual: true, ...(verb === 'create' ? { body: {} } : {}) }
}

function documentRoute(
  verb: keyof typeof methods,
  request: { readonly method: string; readonly suffix: string; readonly body?: object },
  allowed: RouteCase['allowed'],
): RouteCase {
  const { suffix, ...sent } = request
  return {
    over: 'objects',
    authz: `review: ${verb} knowledgebases/documents`,
    request: (target) => ({
      ...sent,
      path: `/api/knowledgebases/${nameOf(target)}${suffix}?namespace=${target.namespace}`,
    }),
    questions: (target) => [onDocuments(verb, target)],
    allowed,
  }
}

const missing = () => ({ status: 404, code: 'not_found' })
const document = { text: 'Cats are animals.', id: 'matrix' }

/** Cases of the routes of knowledge bases, without those of the kind. */
export const knowledgeRoutes: Readonly<Record<string, RouteCase>> = {
  'POST /api/knowledgebases/{name}/search': documentRoute(
    'get',
    { method: 'POST', suffix: '/search', body: { query: 'cats' } },
    found(200),
  ),
  'GET /api/knowledgebases/{name}/documents': documentRoute('get', { method: 'GET', suffix: '/documents' }, found(200)),
  'POST /api/knowledgebases/{name}/documents': documentRoute(
    'create',
    { method: 'POST', suffix: '/documents', body: { documents: [document] } },
    found(202),
  ),
  'POST /api/knowledgebases/{name}/ingest': documentRoute(
    'create',
    { method: 'POST', suffix: '/ingest', body: { url: 'https://docs.invalid/matrix.html' } },
    found(202),
  ),
  'GET /api/knowledgebases/{name}/ingests/{id}': documentRoute(
    'get',
    { method: 'GET', suffix: '/ingests/01900000-0000-7000-8000-000000000000' },
    missing,
  ),
  'DELETE /api/knowledgebases/{name}/documents/{document}': documentRoute(
    'delete',
    { method: 'DELETE', suffix: '/documents/no-document' },
    missing,
  ),
}
