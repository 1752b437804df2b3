import { array, boolean, constant, constantFrom, oneof, record, uniqueArray } from 'fast-check'
import type { Arbitrary } from 'fast-check'

type Content = Arbitrary<{ [key: string]: unknown }>

/** Mostly the first, sometimes the second. */
export const seldom = <T>(usual: Arbitrary<T>, odd: Arbitrary<T>): Arbitrary<T> =>
  oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: odd })

/** Any subset of the fields. */
export const some = (values: { [key: string]: Arbitrary<unknown> }): Content => record(values, { requiredKeys: [] })

const container = record(
  {
    name: constantFrom('main', 'side'),
    image: constantFrom('i:1', 'i:2', 'i'),
    env: constantFrom<unknown>(
      [{ name: 'A', value: '1' }],
      [{ name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ),
    ports: constant([{ containerPort: 80 }]),
    command: constant(['x']),
    resources: constantFrom<unknown>({}, { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1' } }),
    readinessProbe: constantFrom<unknown>({ httpGet: { port: 80 } }, { exec: { command: ['y'] }, periodSeconds: 2 }),
    volumeMounts: constant([{ name: 'v', mountPath: '/v' }]),
    securityContext: constant({ runAsNonRoot: true }),
  },
  { requiredKeys: ['name', 'image'] },
)
const containers = uniqueArray(container, { selector: (each) => each.name, minLength: 1, maxLength: 2 })

const podFields = {
  containers,
  volumes: constantFrom<unknown>(
    [{ name: 'v', emptyDir: {} }],
    [{ name: 'v', secret: { secretName: 's' } }],
    [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'x' } }] } }],
  ),
  serviceAccountName: constantFrom('a', 'b'),
  terminationGracePeriodSeconds: constantFrom(0, 5),
  automountServiceAccountToken: constant(false),
  securityContext: constant({ fsGroup: 1 }),
}

function podSpec(more: { [key: string]: Arbitrary<unknown> }, required: string[] = []): Content {
  const fields: { [key: string]: Arbitrary<unknown> } = { ...podFields, ...more }
  return record(fields, { requiredKeys: ['containers', ...required] }).map((spec) => {
    const mounts = spec['containers'] as { volumeMounts?: unknown }[]
    // Admission of the default service account is disabled there.
    if (JSON.stringify(spec['volumes'])?.includes('projected')) return { serviceAccountName: 'a', ...spec }
    // A mount without its volume is an error that would hide every other.
    return !spec['volumes'] && mounts.some((each) => each.volumeMounts)
      ? { ...spec, volumes: [{ name: 'v', emptyDir: {} }] }
      : spec
  })
}

const template = (spec: Content): Arbitrary<unknown> =>
  spec.map((each) => ({ metadata: { labels: { app: 'x' } }, spec: each }))

const deploymentSpec = seldom(
  record(
    {
      replicas: constantFrom(0, 1, 3),
      selector: constant({ matchLabels: { app: 'x' } }),
      template: template(podSpec({})),
      revisionHistoryLimit: constantFrom(1, 2),
      paused: boolean(),
      strategy: constantFrom<unknown>({ type: 'Recreate' }, { rollingUpdate: { maxSurge: 1 } }),
      minReadySeconds: constantFrom(0, 3),
    },
    { requiredKeys: ['selector', 'template'] },
  ) as Arbitrary<unknown>,
  constantFrom<unknown>(
    {},
    {
      selector: { matchLabels: { app: 'z' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
    { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } } } },
  ),
)

const conditions = (type: string) =>
  constantFrom<unknown>(
    [{ type, status: 'True' }],
    [{ type, status: 'False', reason: 'Because', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  )

const podStatus = some({
  phase: constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
  podIP: constantFrom('10.1.0.1', '10.1.0.2'),
  conditions: conditions('Ready'),
  reason: constant('Because'),
})
const jobSpec = seldom(
  record(
    {
      template: template(podSpec({ restartPolicy: constantFrom('Never', 'OnFailure') }, ['restartPolicy'])),
      backoffLimit: constantFrom(0, 2),
      parallelism: constantFrom(1, 2),
      completions: constantFrom(1, 2),
      suspend: boolean(),
      ttlSecondsAfterFinished: constantFrom(10, 20),
      activeDeadlineSeconds: constantFrom(10, 20),
    },
    { requiredKeys: ['template'] },
  ) as Arbitrary<unknown>,
  constantFrom<unknown>({}, { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
)

const peer = constantFrom<unknown>(
  { podSelector: { matchLabels: { app: 'x' } } },
  { namespaceSelector: {} },
  { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
)
const peerPort = constantFrom<unknown>({ port: 80 }, { protocol: 'UDP', port: 53 }, { port: 'http' })
const flow = (side: 'from' | 'to') =>
  array(
    some({
      [side]: array(peer, { minLength: 1, maxLength: 2 }),
      ports: array(peerPort, { minLength: 1, maxLength: 2 }),
    }),
    {
      maxLength: 2,
    },
  )

/** Specs of the workload kinds. */
export const workloads = {
  pods: record(
    {
      spec: seldom<unknown>(
        podSpec({
          nodeName: constantFrom('n1', 'n2'),
          restartPolicy: constantFrom('Always', 'Never', 'OnFailure'),
          nodeSelector: constant({ zone: 'z' }),
        }),
        constantFrom<unknown>(
          {},
          { containers: [] },
          { containers: [{ name: 'c' }] },
          { containers: [{ name: 'A', image: 'i' }] },
          { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' }, limits: { cpu: '500m' } } }] },
          {
            containers: [
              { name: 'c', image: 'i', resources: { requests: { memory: '1Gi' }, limits: { memory: '1G' } } },
            ],
          },
        ),
      ),
      status: podStatus,
    },
    { requiredKeys: ['spec'] },
  ),
  deployments: record(
    {
      spec: deploymentSpec,
      status: some({
        replicas: constantFrom(1, 2),
        observedGeneration: constant(1),
        conditions: conditions('Available'),
      }),
    },
    { requiredKeys: ['spec'] },
  ),
  jobs: record(
    {
      spec: jobSpec,
      status: some({ active: constantFrom(0, 1), failed: constantFrom(0, 1) }),
    },
    { requiredKeys: ['spec'] },
  ),
  events: record(
    {
      involvedObject: seldom<unknown>(
        record(
          {
            kind: constantFrom('Pod', 'Widget'),
            namespace: constant('NAMESPACE'),
            name: constantFrom('a', 'b'),
            apiVersion: constant('v1'),
            fieldPath: constant('spec.x'),
          },
          { requiredKeys: ['kind', 'namespace', 'name'] },
        ),
        constantFrom<unknown>({}, { namespace: 'other', name: 'a' }),
      ),
      reason: constantFrom('R', 'S'),
      message: constantFrom('one', 'two'),
      type: constantFrom('Normal', 'Warning'),
      source: constant({ component: 'c' }),
      count: constantFrom(1, 2),
      firstTimestamp: constant('2026-01-01T00:00:00Z'),
      eventTime: constant('2026-01-01T00:00:00.000000Z'),
      reportingComponent: constant('test.mesh.dev/c'),
    },
    { requiredKeys: ['involvedObject'] },
  ),
  networkpolicies: record({
    spec: seldom<unknown>(
      record(
        {
          podSelector: constantFrom<unknown>({}, { matchLabels: { app: 'x' } }),
          policyTypes: constantFrom(['Ingress'], ['Egress'], ['Ingress', 'Egress']),
          ingress: flow('from'),
          egress: flow('to'),
        },
        { requiredKeys: ['podSelector'] },
      ),
      constantFrom<unknown>(
        {},
        { podSelector: {}, policyTypes: ['Nope'] },
        { podSelector: { matchLabels: { app: 'a b' } } },
      ),
    ),
  }),
  poddisruptionbudgets: record(
    {
      spec: seldom<unknown>(
        oneof(
          record({ minAvailable: constantFrom<unknown>(1, '50%'), selector: constant({ matchLabels: { app: 'x' } }) }),
          record({ maxUnavailable: constantFrom<unknown>(0, '10%'), selector: constant({}) }),
        ),
        constantFrom<unknown>({}, { minAvailable: 1, maxUnavailable: 1 }, { minAvailable: -1 }, { minAvailable: 'x' }),
      ),
      status: record({
        disruptionsAllowed: constantFrom(0, 1),
        currentHealthy: constant(1),
        desiredHealthy: constant(1),
        expectedPods: constant(1),
      }),
    },
    { requiredKeys: ['spec'] },
  ),
  controllerrevisions: record(
    {
      revision: constantFrom(1, 2),
      data: constantFrom<unknown>({ a: 1 }, { a: { b: [1] } }),
    },
    { requiredKeys: ['revision'] },
  ),
} as const satisfies { [kind: string]: Arbitrary<{ [key: string]: unknown }> }
