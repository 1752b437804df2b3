import { apply, dryRun, get, json, merge, metadata, regression, status } from './regression.ts'
import type { Regression } from './regression.ts'
import type { Step } from './step.ts'

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
const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
})
const labelled = {
  ...job('a'),
  spec: { template: { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } } },
}
const relabel = [{ op: 'replace', path: '/metadata/labels/app', value: 'z' }]
const scale = (replicas: number) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } })
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: '00000000-0000-4000-8000-00000000000b' }
const mergeType = { type: 'application/merge-patch+json' } as const
const jsonType = { type: 'application/json-patch+json' } as const
const one = { query: { fieldManager: 'one' } } as const
const bot = (spec: object) => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'AgentDeployment',
  metadata,
  spec: { model: { route: 'mock' }, ...spec },
})
/** A request to an agent, a kind without random steps. */
const agent = (verb: Step['verb'], path: string, more: Partial<Step> = {}) =>
  json(verb, 'configmaps', undefined, {
    path: `/apis/mesh.dev/v1alpha1/namespaces/NAMESPACE/agentdeployments${path}`,
    ...more,
  })
const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } })

/** Cases found by seeds about deployments, jobs and pods. */
export const workloadRegressions: readonly Regression[] = [
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
    'UXM17: a custom object is scaled where its kind says, by every rule of its update',
    'configmaps',
    [201, agent('POST', '', { body: bot({}) })],
    [500, agent('GET', '/a/scale')],
    [400, agent('PATCH', '/a/scale', { body: { spec: {} }, ...mergeType })],
    [200, agent('PATCH', '/a/scale', { body: { spec: { replicas: 2 } }, ...mergeType, ...one })],
    [200, agent('GET', '/a')],
    [200, agent('PATCH', '/a/status', { body: { status: { replicas: 1, selector: 'a=b' } }, ...mergeType })],
    [200, agent('GET', '/a/scale')],
    [200, agent('PUT', '/a/scale', { body: scale(3), ...dryRun })],
    [200, agent('PUT', '/a/scale', { body: scale(3) })],
    [200, agent('PUT', '/a/scale', { body: scale(3) })],
    [200, agent('PATCH', '/a/scale', { body: [{ op: 'replace', path: '/spec/replicas', value: 4 }], ...jsonType })],
    [200, agent('GET', '/a')],
    [422, agent('PUT', '/a/scale', { body: scale(1001) })],
    [422, agent('PUT', '/a/scale', { body: scale(-1) })],
    [422, agent('PATCH', '/a', { body: { spec: { scaling: { replicas: -1 } } }, ...mergeType })],
    [409, agent('PATCH', '/a/scale', { body: { metadata: { resourceVersion: '1' } }, ...mergeType })],
    [200, agent('PUT', '/a/scale', { body: scale(0) })],
    [200, agent('GET', '/a/scale')],
    [403, agent('PATCH', '/a/scale', { body: { spec: { replicas: 1 } }, ...mergeType, user: 'alice' })],
    [400, agent('PUT', '/b/scale', { body: scale(1) })],
    [404, agent('PUT', '/b/scale', { body: { ...scale(1), metadata: { name: 'b' } } })],
    [404, agent('PATCH', '/b/scale', { body: { spec: { replicas: 1 } }, ...mergeType })],
    [404, agent('GET', '/b/scale')],
    [405, agent('DELETE', '/a/scale')],
    [422, agent('PATCH', '/a', { body: { spec: { executionModel: 'job' } }, ...mergeType })],
  ),
  regression(
    'UXM17: a scale takes the replicas of a custom object from who owns them',
    'configmaps',
    [201, agent('POST', '', { body: bot({ scaling: { replicas: 1 } }), query: { fieldManager: 'two' } })],
    [200, agent('PUT', '/a/scale', { body: scale(2), ...one })],
    [200, agent('GET', '/a')],
    [200, agent('PUT', '/a/scale', { body: scale(5), query: { fieldManager: 'three' } })],
    [200, agent('GET', '/a')],
  ),
  regression(
    'the old serviceAccount of a pod follows its serviceAccountName',
    'deployments',
    [201, json('POST', 'deployments', deployment)],
    [200, merge('deployments', { spec: { template: { spec: { serviceAccountName: 'b' } } } })],
    [200, merge('deployments', { spec: { template: { spec: { serviceAccountName: null } } } })],
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
    'a job that waits may change the metadata of its template, and a job that runs nothing of it',
    'configmaps',
    [201, json('POST', 'jobs', job('a'))],
    [422, merge('jobs', { spec: { template: { metadata: { annotations: { x: '1' } } } } })],
    [200, merge('jobs', { spec: { suspend: true } })],
    [200, merge('jobs', { spec: { template: { metadata: { annotations: { x: '1' } } } } })],
    [422, merge('jobs', { spec: { template: { spec: { hostNetwork: true } } } })],
  ),
  regression(
    'a template that may not change is named whole, that of a job that waits by its spec',
    'configmaps',
    [201, json('POST', 'jobs', job('a'))],
    [422, merge('jobs', { spec: { template: { spec: { hostNetwork: true } } } })],
    [422, json('PUT', 'jobs', { ...job('a'), spec: {} }, { name: 'a' })],
    [200, merge('jobs', { spec: { suspend: true } })],
    [422, merge('jobs', { spec: { template: { metadata: { labels: { x: '1' } }, spec: { hostNetwork: true } } } })],
    [200, json('GET', 'jobs', undefined, { query: { fieldSelector: 'status.successful=0' } })],
  ),
  regression(
    'an apply to a status has no part in the metadata that the status leaves alone',
    'deployments',
    [201, json('POST', 'deployments', { ...deployment, metadata: { name: 'a', labels } })],
    [200, apply('deployments', 'one', { ...deployment, metadata: { name: 'a', labels: { app: 'y' } } }, status)],
    [201, json('POST', 'pods', { ...pod({}), metadata: { name: 'a', ownerReferences: [owner] } })],
    [200, apply('pods', 'one', { ...pod({}), metadata: { name: 'a', ownerReferences: [owner] } }, status)],
  ),
  regression(
    'the labels that a job has of its template are its own once it is stored',
    'configmaps',
    [201, json('POST', 'jobs', labelled)],
    [200, json('PATCH', 'jobs', relabel, { name: 'a', type: 'application/json-patch+json' })],
  ),
  regression(
    'a pod is marked before it goes',
    'pods',
    [201, json('POST', 'pods', pod({}))],
    [200, json('DELETE', 'pods', undefined, { name: 'a', query: { dryRun: 'All' } })],
    [200, json('DELETE', 'pods', undefined, { name: 'a' })],
  ),
]
