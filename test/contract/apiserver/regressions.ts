import type { Step } from './step.ts'
import type { Sequence } from './steps.ts'

/** What a seed once found, as explicit steps; the statuses are the real server's, so that a step that misses its point shows. */
export interface Regression {
  readonly holds: string
  readonly sequence: Sequence
  readonly statuses: readonly number[]
}

type Given = Partial<Step> & Pick<Step, 'kind' | 'verb'>

const json = (verb: Step['verb'], kind: Step['kind'], body?: unknown, more: Partial<Step> = {}): Given => ({
  verb,
  kind,
  ...(body === undefined ? {} : { body }),
  ...more,
})
const apply = (kind: Step['kind'], fieldManager: string, body: unknown, more: Partial<Step> = {}): Given => ({
  verb: 'PATCH',
  kind,
  name: 'a',
  type: 'application/apply-patch+yaml',
  query: { fieldManager },
  body,
  ...more,
})
const merge = (kind: Step['kind'], body: unknown): Given =>
  json('PATCH', kind, body, { name: 'a', type: 'application/merge-patch+json' })
const get = (kind: Step['kind']): Given => json('GET', kind, undefined, { name: 'a' })

/** Each step with the status that the real server answers it with. */
function regression(
  holds: string,
  watched: Sequence['watched'],
  ...steps: (readonly [status: number, given: Given])[]
): Regression {
  return {
    holds,
    statuses: steps.map(([status]) => status),
    sequence: {
      steps: steps.map(([, given]): Step => ({ does: 'regression', user: 'admin', query: {}, ...given })),
      watched,
      watchQuery: {},
      watchAfter: -1,
      watchState: false,
    },
  }
}

const metadata = { name: 'a' }
const labels = { app: 'x' }
const containers = [{ name: 'main', image: 'i:1' }]
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers, serviceAccountName: 'a' } },
  },
}
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { ports: [{ port: 80 }], sessionAffinity: 'ClientIP' },
}
const widget = (more: object) => ({ apiVersion: 'test.mesh.dev/v1', kind: 'Widget', metadata, ...more })
const lease = (uid: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', uid } })
const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
})
const map = (more: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...more } })
const scale = (replicas: number) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } })
const event = (more: object) => ({
  apiVersion: 'v1',
  kind: 'Event',
  involvedObject: { namespace: 'NAMESPACE', name: 'a' },
  ...more,
})
const budget = (spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'a', finalizers: ['no!'] },
  spec,
})
const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } })
const revision = (data: unknown) => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata,
  revision: 1,
  data,
})
const long = 'x'.repeat(64)
const dryRun = { query: { dryRun: 'All' } }

/** Every sequence that a seed found, without its chance. */
export const regressions: readonly Regression[] = [
  regression(
    'a scale tracks its field manager, and refuses what is no count',
    'deployments',
    [201, json('POST', 'deployments', deployment)],
    [
      200,
      json(
        'PUT',
        'deployments',
        { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 2 } },
        {
          name: 'a',
          subresource: 'scale',
          query: { fieldManager: 'one' },
        },
      ),
    ],
    [200, get('deployments')],
    [422, { ...merge('deployments', { spec: { replicas: -1 } }), subresource: 'scale' }],
    [422, { ...merge('deployments', { spec: { replicas: 'x' } }), subresource: 'scale' }],
  ),
  regression(
    'the sessionAffinityConfig of a service comes and goes with its affinity',
    'services',
    [201, json('POST', 'services', service)],
    [200, merge('services', { spec: { sessionAffinity: 'None' } })],
    [200, merge('services', { spec: { sessionAffinity: 'ClientIP' } })],
  ),
  regression(
    'an apply to a status conflicts with another manager of its fields, unless it is forced',
    'widgets',
    [201, json('POST', 'widgets', widget({ spec: { size: 1 } }))],
    [200, apply('widgets', 'one', widget({ status: { phase: 'A' } }), { subresource: 'status' })],
    [409, apply('widgets', 'two', widget({ status: { phase: 'B' } }), { subresource: 'status' })],
    [
      200,
      apply('widgets', 'two', widget({ status: { phase: 'B' } }), {
        subresource: 'status',
        query: { fieldManager: 'two', force: 'true' },
      }),
    ],
    [200, get('widgets')],
  ),
  regression(
    'an applied body without a name is not given the name of its path',
    'configmaps',
    [400, apply('configmaps', 'one', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } })],
    [201, apply('configmaps', 'one', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: '1' } })],
    [200, apply('configmaps', 'one', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '2' } })],
  ),
  regression(
    'the old serviceAccount of a pod follows its serviceAccountName',
    'deployments',
    [201, json('POST', 'deployments', deployment)],
    [200, merge('deployments', { spec: { template: { spec: { serviceAccountName: 'b' } } } })],
    [200, merge('deployments', { spec: { template: { spec: { serviceAccountName: null } } } })],
  ),
  regression(
    'a uid that is not met names the key in storage, without its root on a dry run',
    'leases',
    [409, json('PUT', 'leases', lease('nope'), { name: 'a', ...dryRun })],
    [409, json('PUT', 'leases', lease('nope'), { name: 'a' })],
    [201, json('POST', 'leases', lease(''))],
    [409, json('PUT', 'leases', lease('nope'), { name: 'a', rv: 'fresh', ...dryRun })],
    [409, json('PUT', 'leases', lease('nope'), { name: 'a', rv: 'fresh' })],
    [201, json('POST', 'widgets', widget({ spec: { size: 1 } }))],
    [409, json('PUT', 'widgets', widget({ metadata: { name: 'a', uid: 'nope' } }), { name: 'a', ...dryRun })],
    [409, json('PUT', 'widgets', widget({ metadata: { name: 'a', uid: 'nope' } }), { name: 'a' })],
    [201, json('POST', 'services', service)],
    [409, json('PUT', 'services', { ...service, metadata: { name: 'a', uid: 'nope' } }, { name: 'a', ...dryRun })],
    [409, json('PUT', 'services', { ...service, metadata: { name: 'a', uid: 'nope' } }, { name: 'a' })],
  ),
  regression(
    'the name of a job is a label of its pods, and no longer than one',
    'configmaps',
    [201, json('POST', 'jobs', job('j'.repeat(63)))],
    [422, json('POST', 'jobs', job('j'.repeat(64)))],
    [422, json('POST', 'jobs', job('j'.repeat(254)))],
    [201, json('POST', 'jobs', job('k'), dryRun)],
  ),
  regression(
    'labels and the names of labels and annotations are no longer than they may be',
    'configmaps',
    [422, json('POST', 'configmaps', map({ labels: { app: long } }))],
    [422, json('POST', 'configmaps', map({ labels: { [long]: 'x' } }))],
    [422, json('POST', 'configmaps', map({ labels: { [`${'y'.repeat(254)}/${long}!`]: `${long}!` } }))],
    [422, json('POST', 'configmaps', map({ annotations: { [long]: 'x' } }))],
    [422, json('POST', 'services', { ...service, metadata: { name: long } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: `app=${long}` } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: long } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: `app=${long}!` } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: `${'y'.repeat(254)}/-` } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: 'a/b/c in (-,x)' } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: 'a in (x,-)' } })],
    [400, json('GET', 'configmaps', undefined, { query: { labelSelector: 'a notin (x_,b)' } })],
  ),
  regression(
    'a uid that is not met is a precondition of an update, and a field that may not change of a patch',
    'configmaps',
    [201, json('POST', 'configmaps', map({}))],
    [422, merge('configmaps', { metadata: { uid: 'nope' } })],
    [422, apply('configmaps', 'one', map({ uid: 'nope' }))],
    [201, json('POST', 'widgets', widget({ spec: { size: 1 } }))],
    [422, merge('widgets', { metadata: { uid: 'nope' } })],
    [422, apply('widgets', 'one', widget({ metadata: { name: 'a', uid: 'nope' }, spec: { size: 1 } }))],
    [409, apply('configmaps', 'one', { ...map({ name: 'b', uid: 'nope' }) }, { name: 'b' })],
  ),
  regression(
    'a generateName may be given and taken; what nobody owned conflicts with its first apply',
    'configmaps',
    [201, json('POST', 'configmaps', map({}))],
    [200, json('PUT', 'configmaps', map({ generateName: 'g1-' }), { name: 'a' })],
    [409, apply('configmaps', 'one', map({ generateName: 'g2-' }))],
    [200, merge('configmaps', { metadata: { generateName: 'g3-' } })],
    [200, json('PUT', 'configmaps', map({}), { name: 'a' })],
    [200, merge('configmaps', { metadata: { generateName: 'g3-' } })],
    [200, merge('configmaps', { metadata: { generateName: null } })],
    [201, json('POST', 'widgets', widget({ metadata: { name: 'a', generateName: 'g1-' }, spec: { size: 1 } }))],
    [200, merge('widgets', { metadata: { generateName: 'g3-' } })],
    [409, apply('widgets', 'one', widget({ metadata: { name: 'a', generateName: 'g2-' }, spec: { size: 1 } }))],
  ),
  regression(
    'a scale to nothing has no replicas',
    'deployments',
    [201, json('POST', 'deployments', deployment)],
    [200, { ...json('PUT', 'deployments', scale(0), { name: 'a' }), subresource: 'scale' }],
    [200, { ...json('PUT', 'deployments', scale(0), { name: 'a' }), subresource: 'scale' }],
    [200, { ...get('deployments'), subresource: 'scale' }],
    [200, { ...json('PUT', 'deployments', scale(3), { name: 'a' }), subresource: 'scale', ...dryRun }],
    [200, { ...json('PUT', 'deployments', scale(2), { name: 'a' }), subresource: 'scale' }],
    [200, { ...json('PUT', 'deployments', scale(0), { name: 'a' }), subresource: 'scale', ...dryRun }],
    [200, { ...merge('deployments', { spec: { replicas: 0 } }), subresource: 'scale' }],
  ),
  regression(
    'of an event or a budget the metadata is judged last',
    'configmaps',
    [422, json('POST', 'events', event({ metadata: { name: 'a', finalizers: ['no'] }, involvedObject: {} }))],
    [201, json('POST', 'events', event({ metadata: { name: 'a', finalizers: ['no'] } }))],
    [422, json('POST', 'events', event({ metadata: { name: 'b', finalizers: ['no!'] } }))],
    [422, json('POST', 'events', event({ metadata: {}, involvedObject: {} }))],
    [
      422,
      json('PUT', 'events', event({ metadata: { name: 'a', finalizers: ['no!'] }, involvedObject: {} }), { name: 'a' }),
    ],
    [422, json('POST', 'poddisruptionbudgets', budget({ minAvailable: -1 }))],
    [422, json('POST', 'poddisruptionbudgets', budget({ minAvailable: 1 }))],
  ),
  regression(
    'a pod may change its images and little else',
    'pods',
    [201, json('POST', 'pods', pod({}))],
    [200, merge('pods', { spec: { activeDeadlineSeconds: 9 } })],
    [422, merge('pods', { spec: { hostNetwork: true } })],
    [
      422,
      merge('pods', {
        spec: {
          containers: [
            { name: 'main', image: 'i:1' },
            { name: 'side', image: 'i:1' },
          ],
        },
      }),
    ],
    [422, merge('pods', { spec: { containers: [{ name: 'side', image: 'i:1' }] } })],
    [200, merge('pods', { spec: { tolerations: null } })],
    [422, merge('pods', { spec: { nodeName: 'n1' } })],
    [422, json('PUT', 'pods', pod({ serviceAccountName: 'b' }), { name: 'a' })],
    [422, merge('pods', { spec: { activeDeadlineSeconds: 10 } })],
    [200, merge('pods', { spec: { activeDeadlineSeconds: 8 } })],
    [422, json('PUT', 'pods', pod({ containers: [{ name: 'main', image: 'i:2' }] }), { name: 'a' })],
    [
      200,
      json('PUT', 'pods', pod({ activeDeadlineSeconds: 8, containers: [{ name: 'main', image: 'i:2' }] }), {
        name: 'a',
      }),
    ],
  ),
  regression(
    'a body is refused in the version that it says',
    'configmaps',
    [400, json('POST', 'widgets', { ...widget({}), apiVersion: 'v9', metadata: { name: 'a', labels: { app: 1 } } })],
    [400, json('POST', 'widgets', { ...widget({}), apiVersion: 'v9', metadata: 5 })],
    [400, json('POST', 'widgets', { ...widget({}), apiVersion: 'x/v9', kind: 'Other', metadata: 5 })],
  ),
  regression(
    'the data of a controller revision is an object, but is not decoded',
    'configmaps',
    [422, json('POST', 'controllerrevisions', revision(5))],
    [201, json('POST', 'controllerrevisions', revision({ x: 1 }))],
    [422, merge('controllerrevisions', { data: 5 })],
    [422, merge('controllerrevisions', { data: 'x' })],
    [422, merge('controllerrevisions', { data: [{ x: 1 }] })],
    [200, merge('controllerrevisions', { revision: 2 })],
  ),
  regression(
    'a job that waits may change the metadata of its template, and a job that runs nothing of it',
    'configmaps',
    [201, json('POST', 'jobs', job('a'))],
    [422, merge('jobs', { spec: { template: { metadata: { annotations: { x: '1' } } } } })],
    [200, merge('jobs', { spec: { suspend: true } })],
    [200, merge('jobs', { spec: { template: { metadata: { annotations: { x: '1' } } } } })],
    [422, merge('jobs', { spec: { template: { spec: { hostNetwork: true } } } })],
  ),
]
