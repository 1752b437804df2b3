import { array, constant, constantFrom, oneof, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { bodies } from './bodies.ts'
import type { KindName } from './bodies.ts'
import { name, query, user } from './step.ts'
import type { Step } from './step.ts'

/** Kinds with a status subresource. */
export const withStatus: readonly KindName[] = [
  'widgets',
  'modelroutes',
  'tenants',
  'services',
  'deployments',
  'pods',
  'jobs',
  'poddisruptionbudgets',
]

type Write = (of: KindName, called: string) => Arbitrary<Step>

const create: Write = (of) =>
  record({
    does: constant('create'),
    verb: constant('POST' as const),
    kind: constant(of),
    query,
    user,
    body: bodies(of, name),
  })

const update: Write = (of, called) =>
  record({
    does: constant('update'),
    verb: constant('PUT' as const),
    kind: constant(of),
    name: constant(called),
    query,
    user,
    rv: constantFrom('fresh' as const, 'fresh' as const, 'stale' as const, 'none' as const, 'zero' as const),
    body: bodies(of, constant(called)),
  })

const updateStatus: Write = (of, called) =>
  record({
    does: constant('update status'),
    verb: constant('PUT' as const),
    kind: constant(of),
    name: constant(called),
    subresource: constant('status' as const),
    query,
    user,
    rv: constantFrom('fresh' as const, 'fresh' as const, 'stale' as const, 'none' as const),
    body: bodies(of, constant(called)),
  })

const apply =
  (subresource?: 'status'): Write =>
  (of, called) =>
    record({
      does: constant(subresource ? 'apply status' : 'apply'),
      verb: constant('PATCH' as const),
      kind: constant(of),
      name: constant(called),
      ...(subresource ? { subresource: constant(subresource) } : {}),
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
    })

const changes = constantFrom<unknown>(
  { metadata: { labels: { app: 'y', tier: null } } },
  { metadata: { annotations: { note: '1' }, finalizers: null } },
  { metadata: { finalizers: ['test.mesh.dev/hold'] } },
  { metadata: { ownerReferences: null } },
  { metadata: { name: 'other' } },
  {},
  [],
)
const ofWidgets = constantFrom<unknown>(
  { spec: { size: 7, zork: 1 } },
  { spec: { size: 4, color: null, tags: ['p', 'q'], env: [{ name: 'x' }], free: { a: { b: 1 } } } },
  { spec: { size: 'many' } },
)
const ofMaps = constantFrom<unknown>({ data: { k: 'v', x: null } }, { data: 5 })
const ofStatus = constantFrom<unknown>(
  { status: { phase: 'Running' } },
  { status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False' }] } },
  { status: { conditions: [{ type: 'Done', status: 'True' }] } },
  { status: null },
  { status: { phase: 5 } },
)
const ofWorkloads = constantFrom<unknown>(
  { spec: { replicas: 2, template: { metadata: { annotations: { at: '1' } } } } },
  { spec: { containers: [{ name: 'main', image: 'i:3' }] } },
  { spec: { template: { spec: { containers: [{ name: 'main', image: 'i:3' }] } } } },
  { spec: { suspend: true, backoffLimit: 3 } },
  { spec: { nodeName: 'n3' } },
  { spec: { replicas: -1 } },
)
const operations = array(
  constantFrom<unknown>(
    { op: 'add', path: '/metadata/labels', value: { app: 'x' } },
    { op: 'add', path: '/metadata/labels/app', value: 'z' },
    { op: 'remove', path: '/metadata/labels/app' },
    { op: 'replace', path: '/spec/size', value: 8 },
    { op: 'test', path: '/spec/size', value: 8 },
    { op: 'copy', from: '/spec/size', path: '/metadata/annotations' },
    { op: 'move', from: '/data/x', path: '/data/y' },
    { op: 'nope', path: '/x' },
    { op: 'add', path: '/spec/tags/-', value: 'end' },
    { op: 'replace', path: '/metadata/finalizers', value: [] },
  ),
  { minLength: 1, maxLength: 2 },
)

const patch =
  (subresource?: 'status'): Write =>
  (of, called) =>
    oneof(
      record({
        type: constantFrom(
          'application/merge-patch+json',
          'application/merge-patch+json',
          'application/strategic-merge-patch+json',
        ),
        body: subresource ? oneof(ofStatus, changes) : oneof(changes, ofWidgets, ofMaps, ofWorkloads),
      }),
      record({ type: constant('application/json-patch+json'), body: operations as Arbitrary<unknown> }),
    ).chain(({ type, body }) =>
      record({
        does: constant(subresource ? 'patch status' : 'patch'),
        verb: constant('PATCH' as const),
        kind: constant(of),
        name: constant(called),
        ...(subresource ? { subresource: constant(subresource) } : {}),
        query,
        user,
        type: constant(type),
        body: constant(body),
      }),
    )

const scale = name.chain((called): Arbitrary<Step> => {
  const addressed = {
    does: constant('scale'),
    kind: constant<KindName>('deployments'),
    name: constant(called),
    subresource: constant('scale' as const),
    query,
    user,
  }
  const replicas = constantFrom<unknown>(0, 2, -1, 'x')
  const metadata = { name: called }
  return oneof(
    record({ ...addressed, verb: constant('GET' as const) }),
    record({
      ...addressed,
      verb: constant('PUT' as const),
      rv: constantFrom('fresh' as const, 'stale' as const, 'none' as const),
      body: replicas.map((n) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: n } })),
    }),
    record({
      ...addressed,
      verb: constant('PATCH' as const),
      type: constant('application/merge-patch+json'),
      body: replicas.map((n) => ({ spec: { replicas: n } })),
    }),
  )
})

const remove: Write = (of, called) =>
  record(
    {
      does: constant('delete'),
      verb: constant('DELETE' as const),
      kind: constant(of),
      name: constant(called),
      user,
      query: constantFrom<{ [key: string]: string }>(
        {},
        {},
        { dryRun: 'All' },
        { propagationPolicy: 'Background' },
        { propagationPolicy: 'Foreground' },
        { propagationPolicy: 'Nope' },
        { propagationPolicy: 'Orphan' },
        { gracePeriodSeconds: '0' },
        { gracePeriodSeconds: '7' },
      ),
      precondition: constantFrom('uid' as const, 'wrong uid' as const, 'rv' as const, 'stale rv' as const),
    },
    { requiredKeys: ['does', 'verb', 'kind', 'name', 'user', 'query'] },
  ) as Arbitrary<Step>

const removeAll: Write = (of) =>
  record({
    does: constant('deletecollection'),
    verb: constant('DELETE' as const),
    kind: constant(of),
    user,
    query: constantFrom<{ [key: string]: string }>(
      { labelSelector: 'app=x' },
      { fieldSelector: 'metadata.name=a' },
      { dryRun: 'All' },
    ),
  })

/** Writes to the given kinds, through every endpoint. */
export function writes(kinds: readonly KindName[]): { weight: number; arbitrary: Arbitrary<Step> }[] {
  const over = (some: readonly KindName[], write: Write) =>
    constantFrom(...some).chain((of) => name.chain((called) => write(of, called)))
  const statuses = kinds.filter((kind) => withStatus.includes(kind))
  // Not at cluster scope, where it would delete objects of other sequences.
  const emptied = kinds.filter((kind) => kind !== 'tenants')
  return [
    { weight: 7, arbitrary: over(kinds, create) },
    { weight: 4, arbitrary: over(kinds, update) },
    { weight: 6, arbitrary: over(kinds, apply()) },
    { weight: 5, arbitrary: over(kinds, patch()) },
    { weight: 3, arbitrary: over(kinds, remove) },
    ...(emptied.length > 0 ? [{ weight: 1, arbitrary: over(emptied, removeAll) }] : []),
    ...(kinds.includes('deployments') ? [{ weight: 2, arbitrary: scale }] : []),
    ...(statuses.length > 0
      ? [
          { weight: 2, arbitrary: over(statuses, updateStatus) },
          { weight: 1, arbitrary: over(statuses, apply('status')) },
          { weight: 2, arbitrary: over(statuses, patch('status')) },
        ]
      : []),
  ]
}
