import type { AgentDeploymentSpec } from '../crds/agent-deployment.ts'

type Pod = NonNullable<AgentDeploymentSpec['pod']>

const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'In', values: ['a100'] }] }],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 10, preference: { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] } },
    ],
  },
  podAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          topologyKey: 'topology.kubernetes.io/zone',
          labelSelector: { matchLabels: { app: 'cache' } },
          namespaceSelector: {},
        },
      },
    ],
  },
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: { matchExpressions: [{ key: 'mesh.dev/agent', operator: 'Exists' }] },
        namespaces: ['demo'],
      },
    ],
  },
} satisfies Pod['affinity']

const claim = {
  accessModes: ['ReadWriteOnce' as const],
  resources: { requests: { storage: '10Gi' } },
  storageClassName: 'fast',
}

/** A `spec.pod` with every field. */
export const fullPod = {
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
  affinity,
  annotations: {
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    'prometheus.io/scrape': 'true',
    team: 'search',
  },
  imagePullSecrets: [{ name: 'registry' }],
  launcherResources: { limits: { memory: '256Mi' } },
  volumes: [
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
    { name: 'settings', configMap: { name: 'settings', items: [{ key: 'a.yaml', path: 'conf/a.yaml', mode: 256 }] } },
    { name: 'cert', secret: { secretName: 'cert', defaultMode: 288 } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
    {
      name: 'all',
      projected: {
        defaultMode: 292,
        sources: [
          { configMap: { name: 'settings' } },
          { secret: { name: 'cert', items: [{ key: 'tls.crt', path: 'tls.crt' }] } },
          { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        ],
      },
    },
    {
      name: 'about',
      downwardAPI: {
        items: [
          {
            path: 'memory',
            resourceFieldRef: { containerName: 'agent', resource: 'limits.memory', divisor: '1Mi' },
          },
        ],
      },
    },
    { name: 'cache', ephemeral: { volumeClaimTemplate: { spec: claim } } },
  ],
  volumeMounts: [
    { name: 'scratch', mountPath: '/scratch' },
    { name: 'shm', mountPath: '/dev/shm' },
    { name: 'settings', mountPath: '/etc/agent', readOnly: true },
    { name: 'cert', mountPath: '/run/cert', subPath: 'tls.crt' },
    { name: 'data', mountPath: '/data' },
    { name: 'all', mountPath: '/var/run/all' },
    { name: 'about', mountPath: '/about' },
    { name: 'cache', mountPath: '/home/agent/.cache' },
  ],
} satisfies Pod

const scratch = [{ name: 'v', emptyDir: {} }]
const mounted = (mountPath: string, more: object = {}) => ({
  volumes: scratch,
  volumeMounts: [{ name: 'v', mountPath, ...more }],
})
const volume = (source: object, name = 'v') => ({ volumes: [{ name, ...source }] })
const item = (path: string) => [{ key: 'k', path }]

const sources = 'of emptyDir, configMap, secret, persistentVolumeClaim, projected, downwardAPI, ephemeral'
const keys = 'Secrets with the keys of agents'

const reservedPaths = [
  '/mesh',
  '/mesh/node',
  '/etc',
  '/etc/mesh',
  '/etc/mesh/agent',
  '/run',
  '/run/secrets/mesh',
  '/var',
  '/var/run',
  '/var/run/secrets',
  '/var/run/secrets/mesh/agent',
  '/proc',
  '/proc/1',
  '/sys/fs',
  '/dev',
  '/dev/termination-log',
  '/dev/shm/x',
]
const crookedPaths = [
  '/x/../mesh',
  '/..',
  '/./mesh',
  '/x/.',
  '/',
  '',
  'data',
  '//mesh',
  '/data/',
  '/data//x',
  '/a:b',
  '/a b',
  '/a\u0000b',
  '/a\nb',
]
const refusedKeys = [
  'mesh.dev/revision',
  'x.mesh.dev/y',
  'kubernetes.io/config.source',
  'container.apparmor.security.beta.kubernetes.io/agent',
  'seccomp.security.alpha.kubernetes.io/pod',
  'security.alpha.kubernetes.io/unsafe-sysctls',
  'io.kubernetes.cri-o.userns-mode',
  'run.oci.keep_original_groups',
  'a b',
  '/x',
  'x/',
]

/** Values of `spec.pod` that break a rule, and the message of both the API and the cluster. */
export const badPods: readonly { pod: object; says: string }[] = [
  ...reservedPaths.map((path) => ({ pod: mounted(path), says: 'is a path of the platform or the system' })),
  ...['hostPath', 'nfs', 'csi', 'iscsi', 'image', 'gitRepo', 'flexVolume'].map((source) => ({
    pod: volume({ [source]: { path: '/' } }),
    says: sources,
  })),
  { pod: volume({}), says: sources },
  { pod: volume({ emptyDir: {}, hostPath: { path: '/' } }), says: sources },
  { pod: volume({ emptyDir: {}, configMap: { name: 'c' } }), says: sources },
  ...['agent-config', 'agent-keys', 'agent-tmp', 'agent-tokens', 'launcher-tokens'].map((name) => ({
    pod: volume({ emptyDir: {} }, name),
    says: 'this name belongs to a volume of the platform',
  })),
  {
    pod: { volumes: scratch, volumeMounts: [{ name: 'agent-keys', mountPath: '/k' }] },
    says: 'every mount names a volume of spec.pod.volumes',
  },
  { pod: { volumeMounts: [{ name: 'launcher-tokens', mountPath: '/k' }] }, says: 'every mount names a volume' },
  ...[
    { serviceAccountToken: { audience: 'state', path: 't' } },
    {},
    { configMap: { name: 'c' }, secret: { name: 's' } },
  ].map((source) => ({
    pod: volume({ projected: { sources: [source] } }),
    says: 'of configMap, secret, downwardAPI; no other is allowed',
  })),
  {
    pod: volume({ downwardAPI: { items: [{ path: 'x' }] } }),
    says: 'exactly one source is required',
  },
  { pod: volume({ secret: { secretName: 'other.keys.mesh.dev' } }), says: keys },
  { pod: volume({ projected: { sources: [{ secret: { name: 'a.keys.mesh.dev' } }] } }), says: keys },
  { pod: { imagePullSecrets: [{ name: 'a.keys.mesh.dev' }] }, says: keys },
  ...refusedKeys.map((key) => ({ pod: { annotations: { [key]: 'x' } }, says: 'keys must be domain/name or name' })),
]

/** Values of `spec.pod` that its schema refuses; the messages of the API and the cluster differ. */
export const misshapenPods: readonly object[] = [
  ...crookedPaths.map((path) => mounted(path)),
  ...['..', '../x', 'a/../../b', '.', '/etc', 'a/', 'a//b', ''].map((subPath) => mounted('/x', { subPath })),
  volume({ secret: { secretName: 's', items: item('../x') } }),
  volume({ configMap: { name: 'c', items: item('a/../x') } }),
  volume({ projected: { sources: [{ secret: { name: 's', items: item('..data/x') } }] } }),
  mounted('/x', { mountPropagation: 'Bidirectional' }),
  mounted(`/${'a'.repeat(512)}`),
  volume({ emptyDir: { sizeLimit: 'much' } }),
  volume({ emptyDir: { medium: 'HugePages' } }),
  volume({ secret: { secretName: 'UPPER' } }),
  volume({ configMap: { name: '../x' } }),
  volume({ configMap: { name: 'c', defaultMode: 1000 } }),
  volume({ configMap: { name: 'c', defaultMode: -1 } }),
  volume({ cephfs: { monitors: ['x'] } }),
  volume({ ephemeral: {} }),
  { volumes: 'x' },
  { volumes: [null] },
  { volumes: Array.from({ length: 33 }, (_, index) => ({ name: `v${index}`, emptyDir: {} })) },
  { volumes: [...scratch, ...scratch] },
  { volumes: scratch, volumeMounts: [...mounted('/x').volumeMounts, ...mounted('/x').volumeMounts] },
  { annotations: { team: 1 } },
  { annotations: ['x'] },
  { annotations: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, 'x'])) },
  { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
  { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } } },
  {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] } },
  },
  { nodeSelector: { a: { b: 'c' } } },
  { tolerations: [{ tolerationSeconds: 1e300 }] },
]
