import { constant, constantFrom, oneof, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { bodies } from './bodies.ts'
import type { KindName } from './bodies.ts'
import { name, user } from './step.ts'
import type { Body, Step } from './step.ts'

/** Access and token reviews. */
export const review: Arbitrary<Step> = oneof(
  record({
    path: constant('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
    body: record({
      spec: record({
        resourceAttributes: record({
          verb: constantFrom('get', 'create', 'bind'),
          resource: constantFrom('configmaps', 'widgets', 'roles'),
          group: constantFrom('', 'test.mesh.dev', 'rbac.authorization.k8s.io'),
          namespace: constantFrom('NAMESPACE', '', '..'),
        }),
      }),
    }),
  }),
  record({
    path: constant('/apis/authorization.k8s.io/v1/subjectaccessreviews'),
    body: constantFrom<Body>(
      { spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'NAMESPACE' } } },
      { spec: { resourceAttributes: { verb: 'get', resource: 'configmaps' } } },
      { spec: { user: 'alice' } },
      { spec: { groups: ['devs'], nonResourceAttributes: { path: '/version', verb: 'get' } } },
    ),
  }),
  record({
    path: constant('/apis/authorization.k8s.io/v1/namespaces/NAMESPACE/localsubjectaccessreviews'),
    body: constantFrom<Body>(
      { spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'NAMESPACE' } } },
      { spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'other' } } },
    ),
  }),
  record({
    path: constant('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'),
    body: constantFrom<Body>({ spec: { namespace: 'NAMESPACE' } }, { spec: {} }),
  }),
  record({ path: constant('/apis/authentication.k8s.io/v1/selfsubjectreviews'), body: constant<Body>({}) }),
  record({
    path: constant('/apis/authentication.k8s.io/v1/tokenreviews'),
    body: constantFrom<Body>(
      { spec: { token: 'token-alice' } },
      { spec: { token: 'token-alice', audiences: ['y'] } },
      { spec: { token: 'x' } },
      {},
    ),
  }),
).chain(({ path, body }) =>
  record({
    does: constant('review'),
    verb: constant('POST' as const),
    kind: constant<KindName>('configmaps'),
    query: constant({}),
    user: constantFrom('admin' as const, 'alice' as const),
    path: constant(path),
    body: constant(body as unknown),
  }),
)

const oddName = constantFrom(
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%2E',
  'a%2fb',
  'UPPER',
  'x'.repeat(254),
  'a_b',
  '-a',
  'a..b',
  '%00',
  'a/b/c',
  'a/status',
  'a/nope',
  'a%20b',
  '',
)
/** Requests for names that objects cannot, or can hardly, have. */
export const oddNames = (kind: Arbitrary<KindName>): Arbitrary<Step> =>
  oddName.chain((called) =>
    kind.chain((of) =>
      record({
        does: constant('odd name'),
        verb: constantFrom('GET' as const, 'DELETE' as const, 'PUT' as const),
        kind: constant(of),
        name: constant(called),
        query: constant({ dryRun: 'All' }),
        user,
        body: bodies(of, name),
      }),
    ),
  )

const clusterPaths = [
  '/api/v1/namespaces/NAMESPACE/namespaces',
  '/api/v1/namespaces/NAMESPACE/namespaces/NAMESPACE',
  '/api/v1/namespaces/NAMESPACE/namespaces/kube-public',
  '/api/v1/namespaces/NAMESPACE/namespaces/kube-public/status',
  '/api/v1/namespaces//namespaces/kube-public',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/clusterroles/view',
  '/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/tenants',
  '/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/tenants/a',
  '/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/tenants/a/status',
]

/** Cluster-scoped objects addressed within a namespace: no permission of the namespace may apply. */
export const clusterInNamespace: Arbitrary<Step> = record({
  does: constant('cluster object in a namespace'),
  verb: constantFrom('GET' as const, 'DELETE' as const, 'PUT' as const, 'PATCH' as const, 'POST' as const),
  kind: constant<KindName>('configmaps'),
  path: constantFrom(...clusterPaths),
  type: constantFrom('application/json', 'application/merge-patch+json', 'application/apply-patch+yaml'),
  query: constantFrom<{ [key: string]: string }>({}, { watch: 'true', timeoutSeconds: '1' }, { fieldManager: 'one' }),
  body: constantFrom<unknown>({}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-public' } }),
  user,
})
