import type { KindName } from './bodies.ts'
import { apply, dryRun, json, merge, metadata, regression } from './regression.ts'
import type { Regression } from './regression.ts'
import type { Step } from './step.ts'

const RBAC = 'rbac.authorization.k8s.io'
const alice = { user: 'alice' } as const
const named = { name: 'a' } as const
const map = (more: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more })
const secret = (more: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata, ...more })
const widget = (more: object) => ({ apiVersion: 'test.mesh.dev/v1', kind: 'Widget', metadata, ...more })
const lease = (more: object) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, ...more })
const service = (more: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { ports: [{ port: 80 }] },
  ...more,
})
const event = { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: { namespace: 'NAMESPACE', name: 'a' } }
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** A request to a path outside the kind, which is only nominal. */
const at = (verb: Step['verb'], path: string, more: Partial<Step> = {}) =>
  json(verb, 'configmaps', undefined, { path, ...more })

/** Grants alice verbs on resources of the namespace, and waits until the grant is effective. */
const granted = (verbs: readonly string[], resources: readonly string[], probe: Partial<Step>) =>
  [
    [
      201,
      json('POST', 'roles', {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata,
        rules: [{ apiGroups: ['*'], resources, verbs }],
      }),
    ],
    [
      201,
      json('POST', 'rolebindings', {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: RBAC, kind: 'Role', name: 'a' },
        subjects: [{ kind: 'User', name: 'alice', apiGroup: RBAC }],
      }),
    ],
    [404, json('GET', 'configmaps', undefined, { ...alice, until: 404, ...probe })],
  ] as const

const within = '/api/v1/namespaces/NAMESPACE/namespaces'
const inRole = (verb: Step['verb'], path: string, more: Partial<Step> = {}) =>
  [404, at(verb, path, { ...alice, ...more })] as const
const mergeType = { type: 'application/merge-patch+json' }

const namespacesInNamespaces = regression(
  'SEC10: a namespace is not addressed below a namespace, whatever a Role there grants',
  'configmaps',
  ...granted(['*'], ['namespaces', 'namespaces/status', 'namespaces/finalize', 'clusterroles', 'tenants'], {
    path: `${within}/default`,
  }),
  inRole('GET', `${within}/default`),
  inRole('GET', `${within}/NAMESPACE`),
  inRole('GET', within),
  inRole('GET', within, { query: { watch: 'true', timeoutSeconds: '1' } }),
  inRole('PATCH', `${within}/default`, { body: { metadata: { labels: { a: 'b' } } }, ...mergeType }),
  inRole('PUT', `${within}/default`, { body: namespace('default') }),
  inRole('DELETE', `${within}/default`),
  inRole('DELETE', within),
  inRole('POST', within, { body: namespace('NAMESPACE-new') }),
  inRole('GET', `${within}/default/status`),
  inRole('PATCH', `${within}/default/status`, { body: {}, ...mergeType }),
  inRole('PUT', `${within}/default/finalize`, { body: namespace('default') }),
  inRole('GET', `/apis/${RBAC}/v1/namespaces/NAMESPACE/clusterroles/admin`),
  inRole('DELETE', `/apis/${RBAC}/v1/namespaces/NAMESPACE/clusterroles`),
  inRole('GET', '/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/tenants'),
  inRole('PATCH', '/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/tenants/a', { body: {}, ...mergeType }),
  [403, at('GET', '/api/v1/namespaces/default', alice)],
  [403, at('GET', '/api/v1/namespaces', alice)],
  [404, at('GET', '/api/v1/namespaces//namespaces/NAMESPACE')],
  // The Role of a namespace covers the namespace object itself.
  [200, at('GET', '/api/v1/namespaces/NAMESPACE', alice)],
  [200, at('GET', '/api/v1/namespaces/NAMESPACE/status', alice)],
)

const oddKeys = ['..', '.', '../x', '/tmp/x', '', 'a\nb', 'x'.repeat(254), '..a', 'a b', 'é', 'a/b']
const goodKeys = { '.a': 'YQ==', '-': 'YQ==', ['y'.repeat(253)]: 'YQ==' }

const configKeys = regression(
  'SEC11: a key of a Secret or ConfigMap is the name of a file',
  'configmaps',
  ...oddKeys.flatMap((key) => [
    [422, json('POST', 'secrets', secret({ data: { [key]: 'YQ==' } }))] as const,
    [422, json('POST', 'secrets', secret({ stringData: { [key]: 'a' } }))] as const,
    [422, json('POST', 'configmaps', map({ data: { [key]: 'a' } }))] as const,
    [422, json('POST', 'configmaps', map({ binaryData: { [key]: 'YQ==' } }))] as const,
  ]),
  [422, json('POST', 'configmaps', map({ data: { a: 'x' }, binaryData: { a: 'YQ==' } }))],
  [422, json('POST', 'configmaps', map({ data: { a: 'x'.repeat(1_048_577) } }))],
  [422, json('POST', 'secrets', secret({ data: { a: Buffer.alloc(1_048_577).toString('base64') } }))],
  [201, json('POST', 'secrets', secret({ data: goodKeys }))],
  [201, json('POST', 'configmaps', map({ data: goodKeys }))],
  [422, merge('secrets', { data: { '..': 'YQ==' } })],
  [422, merge('configmaps', { data: { '../x': 'a' } })],
  [422, apply('secrets', 'one', secret({ data: { '..': 'YQ==' } }))],
  [422, json('PUT', 'secrets', secret({ data: { '..': 'YQ==' } }), named)],
)

const put = (kind: KindName, body: object, more: Partial<Step> = {}) =>
  json('PUT', kind, body, { ...named, ...alice, ...more })
const applied = (kind: KindName, body: object, more: Partial<Step> = {}) =>
  apply(kind, 'one', body, { ...alice, ...more })
const served = ['configmaps', 'widgets', 'widgets/status', 'leases', 'services', 'services/status', 'events', 'tenants']

const createdByOtherVerbs = regression(
  'SEC15: a PUT or an apply that creates needs the right to create',
  'configmaps',
  ...granted(['get', 'patch', 'update'], served, named),
  [403, json('POST', 'configmaps', map({}), alice)],
  [403, applied('configmaps', map({ data: { x: '1' } }))],
  [403, applied('configmaps', map({}), { query: { fieldManager: 'one', dryRun: 'All' } })],
  [422, applied('configmaps', map({ metadata: { name: 'a', labels: { '!': 'x' } } }))],
  [403, applied('configmaps', map({ metadata: { name: 'a', resourceVersion: '5' } }))],
  [403, applied('widgets', widget({ spec: { size: 1 } }))],
  [422, applied('widgets', widget({ spec: { size: 1000 } }))],
  [404, applied('widgets', widget({ spec: { size: 1 } }), { subresource: 'status' })],
  [403, applied('services', service({}))],
  [403, applied('services', service({}), { subresource: 'status' })],
  [403, put('leases', lease({}))],
  [403, put('leases', lease({}), dryRun)],
  [403, put('leases', lease({ metadata: { name: 'a', resourceVersion: '5' } }))],
  [409, put('leases', lease({ metadata: { name: 'a', uid: 'nope' } }))],
  [403, put('services', service({}))],
  [403, put('services', service({}), { subresource: 'status' })],
  [403, put('events', event)],
  [404, merge('events', {}, alice)],
  [404, merge('leases', {}, alice)],
  [201, json('POST', 'configmaps', map({}))],
  [201, json('POST', 'leases', lease({}))],
  // An existing object is updated; the verb alone suffices.
  [200, applied('configmaps', map({ data: { x: '1' } }))],
  [200, put('leases', lease({}), { rv: 'fresh' })],
)

const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 2 } }
const route = (subresource: string, verb: Step['verb'], more: Partial<Step> = {}) =>
  at(verb, `/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/modelroutes/a/${subresource}`, more)
const below = (subresource: string, verb: Step['verb'], more: Partial<Step> = {}) =>
  at(verb, `/apis/test.mesh.dev/v1/namespaces/NAMESPACE/widgets/a/${subresource}`, more)

const unknownSubresources = regression(
  'UXM17: a subresource that a kind does not serve is not found, by each verb',
  'configmaps',
  [201, json('POST', 'widgets', widget({ spec: { size: 1 } }))],
  [404, route('scale', 'GET')] as const,
  [404, route('scale', 'PATCH', { body: { spec: { replicas: 2 } }, ...mergeType })] as const,
  ...['nope', 'nope/x'].flatMap((subresource) => [
    [404, below(subresource, 'GET')] as const,
    [404, below(subresource, 'PUT', { body: scale })] as const,
    [404, below(subresource, 'PATCH', { body: { spec: { replicas: 2 } }, ...mergeType })] as const,
    [404, below(subresource, 'DELETE')] as const,
    [404, route(subresource, 'GET')] as const,
    [404, route(subresource, 'PATCH', { body: { spec: { replicas: 2 } }, ...mergeType })] as const,
    [404, at('GET', `/api/v1/namespaces/NAMESPACE/configmaps/a/${subresource}`)] as const,
  ]),
  [405, below('status', 'POST', { body: widget({}) })],
  [405, below('status', 'DELETE')],
  [200, below('status/x', 'GET')],
)

const operation = { type: 'application/json-patch+json', name: 'a' } as const
const patch = (operations: readonly object[], more: Partial<Step> = {}) =>
  json('PATCH', 'widgets', operations, { ...operation, ...more })
const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/spec/size', value: 1 }))
const doubled = (count: number) =>
  Array.from({ length: count }, () => ({ op: 'copy', from: '/spec/free/a', path: '/spec/free/a/-' }))
const copies = (count: number, bytes: number) => [
  { op: 'add', path: '/spec/free/b', value: 'x'.repeat(bytes) },
  ...Array.from({ length: count }, (_, i) => ({ op: 'copy', from: '/spec/free/b', path: `/spec/free/c${i}` })),
]

const costlyPatches = regression(
  'SEC16: a JSON patch copies at most 3 MiB, and has at most 10,000 operations',
  'widgets',
  [201, json('POST', 'widgets', widget({ spec: { size: 1, free: { a: Array.from({ length: 100 }, () => 'x') } } }))],
  [422, patch(doubled(21))],
  [422, patch(copies(4, 1_000_000))],
  [200, patch(copies(5, 200_000))],
  [413, patch(tests(10_001))],
  [200, patch(tests(10_000))],
  [
    500,
    json('POST', 'widgets', {
      ...widget({ spec: { size: 1, free: { a: 'x'.repeat(1_600_000) } } }),
      metadata: { name: 'b' },
    }),
  ],
)

const unknown = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, 1]))
const warned = regression(
  'SEC2: warnings of any character, and how many and how long they may be',
  'widgets',
  ...[
    ['中', '😀', 'é'],
    ['a"b\\c', 'a\nb', 'a\u0000b', 'a\u0085b', '\ud800'],
    ['x'.repeat(5_000), 'yy', 'z'.repeat(300)],
    Array.from({ length: 1_000 }, (_, i) => `f${i}`),
  ].map(
    (fields) =>
      [201, json('POST', 'widgets', { ...widget({ spec: { size: 1 } }), ...unknown(fields) }, dryRun)] as const,
  ),
  [
    201,
    json(
      'POST',
      'configmaps',
      { ...map({}), ...unknown(Array.from({ length: 150 }, (_, i) => `f${1_000 + i}`)) },
      dryRun,
    ),
  ],
)

/** Findings of a security review, compared with the real server. */
export const hardeningRegressions: readonly Regression[] = [
  namespacesInNamespaces,
  configKeys,
  createdByOtherVerbs,
  unknownSubresources,
  costlyPatches,
  warned,
]
