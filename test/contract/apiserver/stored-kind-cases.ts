import type { DefinitionCase, DefinitionStep } from './definition-steps.ts'

type Fields = { readonly [key: string]: unknown }

const MERGE = 'application/merge-patch+json'
const metadata = { name: 'NAME' }
const post = (path: string, body: unknown): DefinitionStep => ({ verb: 'POST', path, body })
const get = (path: string): DefinitionStep => ({ verb: 'GET', path })
const table = (path: string): DefinitionStep => ({
  verb: 'GET',
  path: `${path}?fieldSelector=metadata.name%3DNAME`,
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
})
const merge = (path: string, body: unknown): DefinitionStep => ({ verb: 'PATCH', path, body, type: MERGE })
const apply = (path: string, body: unknown): DefinitionStep => ({
  verb: 'PATCH',
  path: `${path}?fieldManager=test`,
  body,
  type: 'application/apply-patch+yaml',
})
const remove = (path: string): DefinitionStep => ({ verb: 'DELETE', path })

const containers = [{ name: 'c', image: 'example:1' }]
const template = (more: Fields = {}): Fields => ({ metadata: { labels: { app: 'x' } }, spec: { containers, ...more } })

/** Paths of the kinds. */
const at = {
  nodes: '/api/v1/nodes',
  claims: '/api/v1/namespaces/default/persistentvolumeclaims',
  replicaSets: '/apis/apps/v1/namespaces/default/replicasets',
  cronJobs: '/apis/batch/v1/namespaces/default/cronjobs',
  ingresses: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
  slices: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
}

const claim = (spec: Fields): Fields => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec })
const replicaSet = (spec: Fields): Fields => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec })
const cronJob = (spec: Fields): Fields => ({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec })
const ingress = (spec: Fields): Fields => ({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec })
const slice = (more: Fields): Fields => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata,
  ...more,
})
const job = (more: Fields = { restartPolicy: 'Never' }): Fields => ({ spec: { template: template(more) } })
const backend = { service: { name: 'web', port: { number: 80 } } }
const rule = (path: Fields, host = 'a.example'): Fields => ({ host, http: { paths: [path] } })

/** Manifests of kinds that are stored and listed, good ones and bad ones. */
export const storedKindCases: readonly DefinitionCase[] = [
  {
    holds: 'nodes are stored with their status and columns',
    statuses: [201, 200, 200, 200, 200, 200, 422],
    steps: [
      post(at.nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { ...metadata, labels: { 'node-role.kubernetes.io/worker': '' } },
      }),
      merge(`${at.nodes}/NAME/status`, {
        status: {
          conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }],
          capacity: { cpu: '2' },
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
          nodeInfo: {
            kubeletVersion: 'v1.36.0',
            osImage: 'os',
            architecture: 'amd64',
            kernelVersion: '6',
            operatingSystem: 'linux',
          },
        },
      }),
      get(`${at.nodes}/NAME`),
      table(at.nodes),
      merge(`${at.nodes}/NAME`, { spec: { unschedulable: true } }),
      remove(`${at.nodes}/NAME`),
      post(at.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'NAME_' } }),
    ],
  },
  {
    holds: 'replica sets are stored, scaled and validated',
    statuses: [201, 200, 200, 200, 200, 422, 200, 422, 422],
    steps: [
      post(at.replicaSets, replicaSet({ selector: { matchLabels: { app: 'x' } }, template: template() })),
      table(at.replicaSets),
      merge(`${at.replicaSets}/NAME/scale`, { spec: { replicas: 3 } }),
      merge(`${at.replicaSets}/NAME/status`, { status: { replicas: 1, readyReplicas: 1, observedGeneration: 2 } }),
      apply(
        `${at.replicaSets}/NAME`,
        replicaSet({ minReadySeconds: 3, selector: { matchLabels: { app: 'x' } }, template: template() }),
      ),
      merge(`${at.replicaSets}/NAME`, { spec: { selector: { matchLabels: { app: 'y' } } } }),
      remove(`${at.replicaSets}/NAME`),
      post(at.replicaSets, replicaSet({ replicas: -1, selector: { matchLabels: { app: 'z' } }, template: template() })),
      post(at.replicaSets, replicaSet({ template: template({ restartPolicy: 'Never' }) })),
    ],
  },
  {
    holds: 'cron jobs are stored and their schedules validated',
    statuses: [201, 200, 200, 200, 422, 200, 422, 422, 422, 422],
    steps: [
      post(
        at.cronJobs,
        cronJob({ schedule: '*/5 9-17 * jan-mar mon,fri', timeZone: 'Europe/Berlin', jobTemplate: job() }),
      ),
      table(at.cronJobs),
      merge(`${at.cronJobs}/NAME`, { spec: { suspend: true } }),
      merge(`${at.cronJobs}/NAME/status`, { status: { lastScheduleTime: '2026-01-01T00:00:00Z' } }),
      merge(`${at.cronJobs}/NAME`, { spec: { concurrencyPolicy: 'Maybe' } }),
      remove(`${at.cronJobs}/NAME`),
      post(at.cronJobs, cronJob({ schedule: '61 * * * *', jobTemplate: job() })),
      post(at.cronJobs, cronJob({ schedule: '* * *', timeZone: 'Mars/Base', jobTemplate: job() })),
      post(at.cronJobs, cronJob({ jobTemplate: job({}) })),
      post(at.cronJobs, cronJob({ schedule: '@daily', successfulJobsHistoryLimit: -1, jobTemplate: job() })),
    ],
  },
  {
    holds: 'claims are stored as pending and do not change',
    statuses: [201, 200, 422, 200, 200, 422, 422],
    steps: [
      post(
        at.claims,
        claim({
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'fast',
        }),
      ),
      table(at.claims),
      merge(`${at.claims}/NAME`, { spec: { storageClassName: 'slow' } }),
      merge(`${at.claims}/NAME`, { metadata: { labels: { a: 'b' } } }),
      remove(`${at.claims}/NAME`),
      post(at.claims, claim({})),
      post(
        at.claims,
        claim({
          accessModes: ['Any', 'ReadWriteOncePod', 'ReadOnlyMany'],
          resources: { requests: { storage: '0' } },
          volumeMode: 'Nope',
        }),
      ),
    ],
  },
  {
    holds: 'ingresses are stored and their rules validated',
    statuses: [201, 200, 200, 200, 200, 422, 422, 422],
    steps: [
      post(
        at.ingresses,
        ingress({
          ingressClassName: 'nginx',
          rules: [rule({ path: '/', pathType: 'Prefix', backend })],
          tls: [{ hosts: ['a.example'] }],
        }),
      ),
      table(at.ingresses),
      merge(`${at.ingresses}/NAME`, { spec: { defaultBackend: backend } }),
      merge(`${at.ingresses}/NAME/status`, { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } }),
      remove(`${at.ingresses}/NAME`),
      post(at.ingresses, ingress({})),
      post(
        at.ingresses,
        ingress({ rules: [rule({ path: 'x', pathType: 'Exact', backend: {} }, '10.0.0.1'), rule({ backend }, 'A')] }),
      ),
      post(at.ingresses, ingress({ defaultBackend: { service: { name: '' } }, rules: [{ http: { paths: [] } }] })),
    ],
  },
  {
    holds: 'endpoint slices are stored and their addresses validated',
    statuses: [201, 200, 200, 422, 200, 422, 422],
    steps: [
      post(
        at.slices,
        slice({
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }],
          ports: [{ port: 80 }],
        }),
      ),
      table(at.slices),
      merge(`${at.slices}/NAME`, { endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: true } }] }),
      merge(`${at.slices}/NAME`, { addressType: 'IPv6' }),
      remove(`${at.slices}/NAME`),
      post(at.slices, slice({ addressType: 'Nope', endpoints: [{ addresses: [] }] })),
      post(
        at.slices,
        slice({
          addressType: 'IPv4',
          endpoints: [{ addresses: ['a'] }],
          ports: [{ name: 'A', protocol: 'X' }, { name: 'A' }],
        }),
      ),
    ],
  },
]
