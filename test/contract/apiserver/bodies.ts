import { array, boolean, constant, constantFrom, nat, oneof, record, subarray, uniqueArray } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { seldom, some, workloads } from './bodies-workloads.ts'

/** Paths of each kind of the suite. */
export const paths = {
  widgets: ['/apis/test.mesh.dev/v1', 'test.mesh.dev/v1', 'Widget', true],
  modelroutes: ['/apis/mesh.dev/v1alpha1', 'mesh.dev/v1alpha1', 'ModelRoute', true],
  tenants: ['/apis/mesh.dev/v1alpha1', 'mesh.dev/v1alpha1', 'Tenant', false],
  configmaps: ['/api/v1', 'v1', 'ConfigMap', true],
  secrets: ['/api/v1', 'v1', 'Secret', true],
  serviceaccounts: ['/api/v1', 'v1', 'ServiceAccount', true],
  services: ['/api/v1', 'v1', 'Service', true],
  deployments: ['/apis/apps/v1', 'apps/v1', 'Deployment', true],
  pods: ['/api/v1', 'v1', 'Pod', true],
  jobs: ['/apis/batch/v1', 'batch/v1', 'Job', true],
  events: ['/api/v1', 'v1', 'Event', true],
  networkpolicies: ['/apis/networking.k8s.io/v1', 'networking.k8s.io/v1', 'NetworkPolicy', true],
  poddisruptionbudgets: ['/apis/policy/v1', 'policy/v1', 'PodDisruptionBudget', true],
  controllerrevisions: ['/apis/apps/v1', 'apps/v1', 'ControllerRevision', true],
  roles: ['/apis/rbac.authorization.k8s.io/v1', 'rbac.authorization.k8s.io/v1', 'Role', true],
  rolebindings: ['/apis/rbac.authorization.k8s.io/v1', 'rbac.authorization.k8s.io/v1', 'RoleBinding', true],
  leases: ['/apis/coordination.k8s.io/v1', 'coordination.k8s.io/v1', 'Lease', true],
} as const satisfies { [kind: string]: readonly [path: string, apiVersion: string, kind: string, namespaced: boolean] }

export type KindName = keyof typeof paths
export const kinds = Object.keys(paths) as KindName[]

// Never empty: the real server stores an applied empty map of metadata in a custom object, and removes it at the next no-op write.
const owner = (name: string, controller?: boolean) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `00000000-0000-4000-8000-00000000000${name}`,
  ...(controller ? { controller, blockOwnerDeletion: true } : {}),
})
const labels = constantFrom<unknown>(
  { app: 'x' },
  { app: 'y' },
  { app: 'x', tier: '1' },
  { app: 'y', tier: '2' },
  { tier: '1' },
)
const metadata = (name: Arbitrary<string>): Arbitrary<unknown> =>
  seldom(
    record(
      {
        name,
        labels,
        annotations: record({ note: constantFrom('1', '2') }),
        finalizers: constant(['test.mesh.dev/hold']),
        ownerReferences: constantFrom<unknown>([owner('a')], [owner('b', true)]),
      },
      { requiredKeys: ['name'] },
    ) as Arbitrary<unknown>,
    oneof(
      // Without common prefixes, since the order of generated names is random.
      nat().map((n): unknown => ({ generateName: `g${n}-`, labels: { app: 'x' } })),
      constantFrom<unknown>(
        { name: 'UPPER' },
        { generateName: '' },
        {},
        { name: 'a', zork: 1 },
        { name: 'a', labels: { 'bad key': 'x' } },
        { name: 'a', labels: { app: 'bad value!' } },
        { name: 'a', labels: { app: 1 } },
        { name: 'a', namespace: 'elsewhere' },
        { name: 'x'.repeat(254) },
        { name: 'a', finalizers: ['no-slash!'] },
        { name: 'a', resourceVersion: '1' },
        { name: 'a', uid: 'nope' },
        { name: 'a', ownerReferences: [owner('a', true), owner('b', true)] },
        { name: 'a', ownerReferences: [{ ...owner('a'), uid: '' }] },
        { name: 'a', ownerReferences: [{ ...owner('a'), apiVersion: 'v1/v1/v1' }] },
        { name: 'a', ownerReferences: [owner('a'), owner('a')] },
      ),
    ),
  )

const widgetSpec = seldom(
  record(
    {
      size: constantFrom(1, 2, 3, 5),
      color: constantFrom('red', 'blue'),
      word: constantFrom('ab', 'abcd'),
      port: constantFrom<unknown>(80, 'http'),
      tags: uniqueArray(constantFrom('p', 'q', 'r'), { maxLength: 3 }),
      env: uniqueArray(
        record({ name: constantFrom('x', 'y', 'z'), value: constantFrom('1', '2') }, { requiredKeys: ['name'] }),
        { selector: (each) => each.name, maxLength: 3 },
      ),
      numbers: constantFrom([1], [1, 2]),
      labels: some({ l1: constantFrom('1', '2'), l2: constant('1') }),
      free: constantFrom<unknown>({}, { a: 1 }, { a: { b: [1, { c: 2 }] } }),
      none: constant(null),
      atom: some({ a: constantFrom('1', '2'), b: constant('1') }),
    },
    { requiredKeys: ['size'] },
  ) as Arbitrary<unknown>,
  constantFrom<unknown>(
    {},
    { size: 'a' },
    { size: 0 },
    { size: 1000 },
    { size: 50 },
    { size: 50, big: true },
    { size: 1, color: 'green' },
    { size: 1, word: 'A' },
    { size: 1, word: 'AB' },
    { size: 1, word: 'abcdef' },
    { size: 1, port: true },
    { size: 1, tags: ['a', 'a'] },
    { size: 1, tags: ['1', '2', '3', '4', '5'] },
    { size: 1, env: [{ name: 'x' }, { name: 'x' }] },
    { size: 1, env: [{}] },
    { size: 1, numbers: [] },
    { size: 1, labels: { a: '1', b: '2', c: '3', d: '4' } },
    { size: 1, zork: 1 },
    { size: 1, env: [{ name: 'a', q: 1 }] },
    5,
    [],
    null,
    { size: 1.5 },
    { size: null },
  ),
)

const serviceSpec = record(
  {
    selector: some({ app: constantFrom('x', 'y') }),
    ports: uniqueArray(
      record(
        {
          name: constantFrom('http', 'web'),
          port: constantFrom(80, 443),
          targetPort: constantFrom<unknown>(8080, 'web'),
        },
        { requiredKeys: ['name', 'port'] },
      ),
      { selector: (each) => each.port, minLength: 1, maxLength: 1 },
    ),
    sessionAffinity: constantFrom('None', 'ClientIP'),
  },
  { requiredKeys: ['ports'] },
)
const rules = array(
  record(
    {
      verbs: subarray(['get', 'list', 'create', 'update', 'delete', '*'], { minLength: 1 }),
      apiGroups: constantFrom([''], ['test.mesh.dev'], ['*']),
      resources: constantFrom(['configmaps'], ['widgets', 'widgets/status'], ['*']),
      resourceNames: constant(['a']),
    },
    { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
  ),
  { maxLength: 2 },
)
const rbac = 'rbac.authorization.k8s.io'

const contents: { readonly [kind in KindName]: Arbitrary<{ [key: string]: unknown }> } = {
  widgets: record(
    {
      spec: widgetSpec,
      status: some({
        phase: constantFrom('A', 'B'),
        conditions: uniqueArray(
          record({ type: constantFrom('Ready', 'Done'), status: constantFrom('True', 'False') }),
          { selector: (each) => each.type, maxLength: 2 },
        ),
      }),
    },
    { requiredKeys: ['spec'] },
  ),
  modelroutes: record({
    spec: constantFrom<unknown>(
      { provider: { name: 'p' }, model: 'm' },
      { provider: 'p', model: 'm' },
      {},
      { zork: 1 },
    ),
  }),
  tenants: record({
    spec: constantFrom<unknown>(
      { namespaces: ['a'] },
      { namespaces: ['a', 'b'], quota: { concurrency: 2, spend: { amount: '1.00' } } },
      { namespaces: ['A!'] },
      {},
      { quota: {} },
    ),
  }),
  configmaps: some({
    data: seldom(
      some({ x: constantFrom('1', '2'), y: constant('1') }),
      constantFrom<unknown>({ '..': '1' }, { 'a/b': '1' }),
    ),
    immutable: boolean(),
  }),
  secrets: some({
    data: seldom(constantFrom<unknown>({ k: 'dg==' }, {}), constantFrom<unknown>({ k: '!' }, { '../k': 'dg==' })),
    stringData: some({ s: constantFrom('1', '2') }),
    type: constantFrom('Opaque', 'mesh.dev/x'),
  }),
  serviceaccounts: some({
    secrets: constantFrom([{ name: 'a' }], [{ name: 'a' }, { name: 'b' }]),
    automountServiceAccountToken: boolean(),
  }),
  services: record({ spec: serviceSpec }),
  ...workloads,
  roles: record({ rules }),
  rolebindings: record({
    // No aggregated role: without a controller manager those of the real server stay empty.
    roleRef: constantFrom(
      { apiGroup: rbac, kind: 'Role', name: 'a' },
      { apiGroup: rbac, kind: 'ClusterRole', name: 'system:discovery' },
      { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      { apiGroup: rbac, kind: 'Role', name: 'gone' },
    ),
    subjects: constantFrom(
      [{ kind: 'User', apiGroup: rbac, name: 'alice' }],
      [{ kind: 'Group', apiGroup: rbac, name: 'devs' }],
      [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }],
    ),
  }),
  leases: record({
    spec: some({ holderIdentity: constantFrom('a', 'b'), leaseDurationSeconds: constantFrom(10, 20) }),
  }),
}

/** Bodies of a kind with a name: mostly valid, sometimes with one error. */
export function bodies(kind: KindName, name: Arbitrary<string>): Arbitrary<unknown> {
  const [, apiVersion, type] = paths[kind]
  const head = seldom<unknown>(
    constant({ apiVersion, kind: type }),
    constantFrom<unknown>(
      { apiVersion, kind: 'Other' },
      { apiVersion: 'v9', kind: type },
      { extra: 1, apiVersion, kind: type },
    ),
  )
  return record({ head, metadata: metadata(name), content: contents[kind] }).map(
    ({ head: first, metadata: meta, content }) => ({ ...(first as object), metadata: meta, ...content }),
  )
}
