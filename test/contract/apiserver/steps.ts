import { array, boolean, constant, constantFrom, nat, oneof, record, uniqueArray } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { kinds } from './bodies.ts'
import type { KindName } from './bodies.ts'
import { name, user } from './step.ts'
import type { Step } from './step.ts'
import { clusterInNamespace, oddNames, review } from './steps-odd.ts'
import { writes } from './steps-write.ts'

const labelSelectors = [
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
]
const fieldSelectors = ['metadata.name=a', 'metadata.name!=a', 'metadata.namespace=zz', 'spec.nope=1', 'x']
const ownFields: { readonly [kind in KindName]?: readonly string[] } = {
  pods: [
    'status.phase=Running',
    'status.phase!=Pending',
    'spec.nodeName=n1',
    'spec.nodeName=',
    'status.podIP=10.1.0.1',
  ],
  events: [
    'involvedObject.name=a',
    'involvedObject.kind=Pod,reason=R',
    'type!=Normal',
    'source=c',
    'reportingComponent=c',
  ],
  jobs: ['status.successful=0', 'status.successful!=1'],
  secrets: ['type=Opaque', 'type!=Opaque'],
  services: ['spec.type=ClusterIP', 'spec.clusterIP=None'],
}

const read = (kind: Arbitrary<KindName>): Arbitrary<Step> =>
  record({ does: constant('get'), verb: constant('GET' as const), kind, name, query: constant({}), user })

const list = (of: KindName): Arbitrary<Step> =>
  record(
    {
      does: constant('list'),
      verb: constant('GET' as const),
      kind: constant(of),
      user,
      walk: boolean(),
      query: record(
        {
          limit: constantFrom('1', '2', '5', '0'),
          labelSelector: constantFrom(...labelSelectors),
          fieldSelector: constantFrom(...fieldSelectors, ...(ownFields[of] ?? []), ...(ownFields[of] ?? [])),
          resourceVersion: constantFrom('0', 'zzz'),
          resourceVersionMatch: constantFrom('Exact', 'NotOlderThan', 'Nope'),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['does', 'verb', 'kind', 'user', 'query'] },
  ) as Arbitrary<Step>

/** Pages of a list while its objects are deleted: the rest must be unchanged. */
const walkUnderChange = (of: KindName): Arbitrary<Step> =>
  record({
    does: constant('walk'),
    verb: constant('GET' as const),
    kind: constant(of),
    user: constant('admin' as const),
    walk: constant(true),
    query: constantFrom<{ [key: string]: string }>({ limit: '1' }, { limit: '1', labelSelector: 'app=x' }),
    between: name.map((called): Step => ({
      does: 'delete',
      verb: 'DELETE',
      kind: of,
      name: called,
      query: { propagationPolicy: 'Background' },
      user: 'admin',
    })),
  })

/** A sequence of requests, and the kind whose watch is compared at the end. */
export interface Sequence {
  readonly steps: readonly Step[]
  readonly watched: KindName
  readonly watchQuery: { readonly [key: string]: string }
  /** The watch starts from the version after this step; -1 is the beginning. */
  readonly watchAfter: number
  /** The watch names no version and starts with the current state. */
  readonly watchState: boolean
}

function stepOf(focus: readonly KindName[]): Arbitrary<Step> {
  const kind = constantFrom(...focus)
  return oneof(
    ...writes(focus),
    { weight: 2, arbitrary: read(kind) },
    { weight: 3, arbitrary: kind.chain(list) },
    { weight: 2, arbitrary: kind.chain(walkUnderChange) },
    { weight: 1, arbitrary: review },
    { weight: 1, arbitrary: oddNames(kind) },
    { weight: 1, arbitrary: clusterInNamespace },
  )
}

// Kinds usable as the marker of a watch, with namespaced names.
const watchable: readonly KindName[] = ['widgets', 'configmaps', 'deployments', 'services', 'pods', 'leases']

/** Sequences played against both servers. Each concerns a few kinds, so that its steps interact. */
export const sequences: Arbitrary<Sequence> = uniqueArray(
  oneof({ weight: 1, arbitrary: constant<KindName>('widgets') }, { weight: 4, arbitrary: constantFrom(...kinds) }),
  { minLength: 1, maxLength: 3 },
).chain((focus) => {
  const candidates = focus.filter((kind) => watchable.includes(kind))
  return record({
    steps: array(stepOf(focus), { minLength: 6, maxLength: 16 }),
    watched: candidates.length > 0 ? constantFrom(...candidates) : constant<KindName>('configmaps'),
    watchQuery: constantFrom<{ [key: string]: string }>(
      {},
      {},
      { labelSelector: 'app=x' },
      { labelSelector: 'app!=x' },
    ),
    watchAfter: oneof(constant(-1), nat(5)),
    watchState: oneof({ weight: 5, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) }),
  })
})
