import { array, boolean, constant, constantFrom, oneof, option, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { bodies, kinds } from './bodies.ts'
import type { KindName } from './bodies.ts'

/** A JSON body. */
export type Body = { [key: string]: unknown }

/** One request, without what differs between two servers: `rv` and `uid` say which version or identity to fill in. */
export interface Step {
  readonly does: string
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly kind: KindName
  /** Absent for the collection. */
  readonly name?: string
  readonly subresource?: 'status'
  readonly query: { readonly [key: string]: string }
  readonly type?: string
  readonly body?: unknown
  readonly rv?: 'fresh' | 'stale' | 'zero' | 'none'
  readonly precondition?: 'uid' | 'wrong uid' | 'rv' | 'stale rv'
  readonly user: 'admin' | 'alice'
  /** Follows `continue` to the end. */
  readonly walk?: boolean
  readonly path?: string
}

const name = constantFrom('a', 'b', 'c')
const kind = oneof(
  { weight: 5, arbitrary: constant<KindName>('widgets') },
  { weight: 6, arbitrary: constantFrom<KindName>(...kinds) },
)
const flags = record(
  {
    fieldValidation: constantFrom('Strict', 'Warn', 'Ignore'),
    dryRun: constantFrom('All', 'All', 'None'),
    fieldManager: constantFrom('one', 'two', 'three'),
  },
  { requiredKeys: [] },
)
const query = oneof({ weight: 3, arbitrary: constant({}) }, { weight: 2, arbitrary: flags })
const user = oneof(
  { weight: 6, arbitrary: constant('admin' as const) },
  { weight: 1, arbitrary: constant('alice' as const) },
)

const create = kind.chain((of) =>
  record({
    does: constant('create'),
    verb: constant('POST' as const),
    kind: constant(of),
    query,
    user,
    body: bodies(of, name),
  }),
)
const update = kind.chain((of) =>
  name.chain((called) =>
    record({
      does: constant('update'),
      verb: constant('PUT' as const),
      kind: constant(of),
      name: constant(called),
      query,
      user,
      rv: constantFrom('fresh' as const, 'fresh' as const, 'stale' as const, 'none' as const, 'zero' as const),
      body: bodies(of, constant(called)),
    }),
  ),
)
const updateStatus = name.chain((called) =>
  record({
    does: constant('update status'),
    verb: constant('PUT' as const),
    kind: constant<KindName>('widgets'),
    name: constant(called),
    subresource: constant('status' as const),
    query,
    user,
    rv: constantFrom('fresh' as const, 'stale' as const, 'none' as const),
    body: bodies('widgets', constant(called)),
  }),
)
const apply = kind.chain((of) =>
  name.chain((called) =>
    record({
      does: constant('apply'),
      verb: constant('PATCH' as const),
      kind: constant(of),
      name: constant(called),
      type: constant('application/apply-patch+yaml'),
      user,
      query: record(
        {
          fieldManager: constantFrom('one', 'two', 'three'),
          force: constantFrom('true', 'false'),
          dryRun: constantFrom('All', 'None'),
        },
        { requiredKeys: ['fieldManager'] },
      ),
      body: bodies(of, constant(called)),
    }),
  ),
)
const read = record({
  does: constant('get'),
  verb: constant('GET' as const),
  kind,
  name,
  query: constant({}),
  user,
})
const list = record(
  {
    does: constant('list'),
    verb: constant('GET' as const),
    kind,
    user,
    walk: boolean(),
    query: record(
      {
        limit: constantFrom('1', '2', '5', '0'),
        labelSelector: constantFrom(
          'app=x',
          'app!=x',
          'app in (x,y)',
          'app notin (x)',
          'app',
          '!app',
          'app=x,tier',
          'app==',
          'a b',
          'app in x',
        ),
        fieldSelector: constantFrom(
          'metadata.name=a',
          'metadata.name!=a',
          'metadata.namespace=zz',
          'spec.nope=1',
          'type=Opaque',
          'status.phase=Running',
          'x',
        ),
        resourceVersion: constantFrom('0', 'zzz'),
        resourceVersionMatch: constantFrom('Exact', 'NotOlderThan', 'Nope'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['does', 'verb', 'kind', 'user', 'query'] },
)
const remove = record(
  {
    does: constant('delete'),
    verb: constant('DELETE' as const),
    kind,
    name,
    user,
    query: constantFrom<{ [key: string]: string }>(
      {},
      { dryRun: 'All' },
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Nope' },
      { propagationPolicy: 'Orphan' },
    ),
    precondition: constantFrom('uid' as const, 'wrong uid' as const, 'rv' as const, 'stale rv' as const),
  },
  { requiredKeys: ['does', 'verb', 'kind', 'name', 'user', 'query'] },
)
const removeAll = record({
  does: constant('deletecollection'),
  verb: constant('DELETE' as const),
  kind: constantFrom<KindName>('widgets', 'configmaps'),
  user,
  query: constantFrom<{ [key: string]: string }>(
    { labelSelector: 'app=x' },
    { fieldSelector: 'metadata.name=a' },
    { dryRun: 'All' },
  ),
})

const patched = oneof(
  constant({ metadata: { labels: { app: 'y', tier: null } } }),
  constant({ metadata: { annotations: { note: '1' }, finalizers: null } }),
  constant({ metadata: { finalizers: ['test.mesh.dev/hold'] } }),
  constant({ metadata: { name: 'other' } }),
  constant({ spec: { size: 7, zork: 1 } }),
  constant({ spec: { size: 4, color: null, tags: ['p', 'q'], env: [{ name: 'x' }], free: { a: { b: 1 } } } }),
  constant({ spec: { size: 'many' } }),
  constant({ data: { k: 'v', x: null } }),
  constant({ data: 5 }),
  constant({}),
  constant([]),
)
const operations = array(
  oneof(
    constant({ op: 'add', path: '/metadata/labels', value: { app: 'x' } }),
    constant({ op: 'add', path: '/metadata/labels/app', value: 'z' }),
    constant({ op: 'remove', path: '/metadata/labels/app' }),
    constant({ op: 'replace', path: '/spec/size', value: 8 }),
    constant({ op: 'test', path: '/spec/size', value: 8 }),
    constant({ op: 'copy', from: '/spec/size', path: '/metadata/annotations' }),
    constant({ op: 'move', from: '/data/x', path: '/data/y' }),
    constant({ op: 'nope', path: '/x' }),
    constant({ op: 'add', path: '/spec/tags/-', value: 'end' }),
  ),
  { minLength: 1, maxLength: 2 },
)
const patch = oneof(
  record({
    type: constantFrom(
      'application/merge-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ),
    body: patched as Arbitrary<unknown>,
  }),
  record({ type: constant('application/json-patch+json'), body: operations as Arbitrary<unknown> }),
).chain(({ type, body }) =>
  record(
    {
      does: constant('patch'),
      verb: constant('PATCH' as const),
      kind,
      name,
      query,
      user,
      subresource: constant('status' as const),
      type: constant(type),
      body: constant(body),
    },
    { requiredKeys: ['does', 'verb', 'kind', 'name', 'query', 'user', 'type', 'body'] },
  ),
)

const review = oneof(
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
const odd = oddName.chain((called) =>
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

/** A sequence of requests and the kinds whose watch is compared at its end. */
export interface Sequence {
  readonly steps: readonly Step[]
  readonly watched: KindName
  readonly watchSelector: string | null
}

const step: Arbitrary<Step> = oneof(
  { weight: 6, arbitrary: create },
  { weight: 4, arbitrary: update },
  { weight: 2, arbitrary: updateStatus },
  { weight: 6, arbitrary: apply },
  { weight: 2, arbitrary: read },
  { weight: 3, arbitrary: list as Arbitrary<Step> },
  { weight: 3, arbitrary: remove as Arbitrary<Step> },
  { weight: 1, arbitrary: removeAll },
  { weight: 5, arbitrary: patch as Arbitrary<Step> },
  { weight: 1, arbitrary: review },
  { weight: 1, arbitrary: odd },
)

/** What is played against both servers. */
export const sequences: Arbitrary<Sequence> = record({
  steps: array(step, { minLength: 6, maxLength: 16 }),
  watched: oneof(
    { weight: 2, arbitrary: constant<KindName>('widgets') },
    { weight: 1, arbitrary: constantFrom<KindName>('configmaps', 'deployments', 'services') },
  ),
  watchSelector: option(constantFrom('app=x', 'app!=x')),
})
