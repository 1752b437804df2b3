import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { create, get, list, remove } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { nameOf, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'

const plural = ModelProvider.plural
const baseUrl = 'https://models.example/v1'

const bodyOf = (target: Target) => ({
  namespace: target.namespace,
  name: nameOf(target),
  type: 'openai',
  baseUrl,
  apiKey: 'sk-matrix',
  validate: false,
})

const objectOf = (target: Target) => ({
  apiVersion: ModelProvider.apiVersion,
  kind: ModelProvider.kind,
  metadata: { namespace: target.namespace, name: nameOf(target) },
  spec: { type: 'openai', baseUrl, secretRef: { name: `${nameOf(target)}-provider-key`, key: 'apiKey' } },
})

const secretsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets`

const createKey = (target: Target): AccessRequest => ({
  method: 'POST',
  path: `${secretsIn(target.namespace)}?dryRun=All`,
  body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${nameOf(target)}-provider-key` } },
})

// The provider of the matrix names a Secret that does not exist.
const getKey = (target: Target): AccessRequest => ({ path: `${secretsIn(target.namespace)}/openai` })

const at = (target: Target, below = ''): string =>
  `/api/providers/${nameOf(target)}${below}?namespace=${target.namespace}`

/** Cases of the routes of connected providers. */
export const providerRoutes: Readonly<Record<string, RouteCase>> = {
  'GET /api/providers': {
    over: 'namespaces',
    authz: `kube: list ${plural}`,
    request: (target) => query('/providers', target),
    questions: ({ namespace }) => [list(plural, namespace)],
    allowed: ok(200),
  },
  'POST /api/providers': {
    over: 'objects',
    authz: `kube: create ${plural}`,
    request: (target) => ({ method: 'POST', path: '/api/providers?dryRun=All', body: bodyOf(target) }),
    questions: (target) => [createKey(target), create(plural, target.namespace, objectOf(target))],
    allowed: ok(201),
  },
  'GET /api/providers/{name}/models': {
    over: 'objects',
    authz: `kube: get ${plural}`,
    request: (target) => ({ path: at(target, '/models') }),
    questions: (target) => [get(plural, target.namespace, nameOf(target)), getKey(target)],
    allowed: ok(200),
  },
  'POST /api/providers/{name}/rotate': {
    over: 'objects',
    authz: `kube: patch ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: `${at(target, '/rotate')}&dryRun=All`,
      body: { apiKey: 'sk-matrix', validate: false },
    }),
    questions: (target) => [get(plural, target.namespace, nameOf(target)), getKey(target)],
    allowed: ok(200),
  },
  'DELETE /api/providers/{name}': {
    over: 'objects',
    authz: `kube: delete ${plural}`,
    request: (target) => ({ method: 'DELETE', path: `${at(target)}&dryRun=All` }),
    questions: (target) => [
      get(plural, target.namespace, nameOf(target)),
      remove(plural, target.namespace, nameOf(target)),
    ],
    allowed: ok(204),
  },
}
