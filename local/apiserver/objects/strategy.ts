import type { Cause, Json, JsonObject, KubeObject } from '../contract.ts'
import { equalJson, isObject } from '../patch/json-value.ts'
import type { Kind } from './kinds.ts'
import { invalidValue } from './meta.ts'
import { POD_SPEC, fillDefaults } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'

/** What a built-in kind does to its objects beyond its schema. Each step may change the object that it is given. */
interface Strategy {
  defaults?(object: KubeObject): void
  create?(object: KubeObject, taken: (address: string) => boolean): void
  update?(object: KubeObject, old: KubeObject): void
  validate?(object: KubeObject, old?: KubeObject): Cause[]
}

function section(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  if (isObject(value)) return value
  return (object[key] = {})
}

function immutable(object: KubeObject, old: KubeObject | undefined, ...path: string[]): Cause[] {
  if (!old || equalJson(read(object, ...path), read(old, ...path))) return []
  return [invalidValue(path.join('.'), read(object, ...path) ?? null, 'field is immutable')]
}

const read = (from: KubeObject, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), from)

function selectsTemplate(object: KubeObject): Cause[] {
  const wanted = read(object, 'spec', 'selector', 'matchLabels') ?? {}
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  if (!isObject(labels))
    return [invalidValue('spec.template.metadata.labels', null, '`selector` does not match template `labels`')]
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return []
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
}

const namespace: Strategy = {
  defaults(object) {
    const meta = object.metadata
    if (meta.name) meta.labels = { ...meta.labels, 'kubernetes.io/metadata.name': meta.name }
  },
  create(object) {
    const meta = object.metadata
    meta.labels = { ...meta.labels, 'kubernetes.io/metadata.name': meta.name }
    object['spec'] = { finalizers: ['kubernetes'] }
    object['status'] = { phase: 'Active' }
  },
  update(object, old) {
    object['spec'] = old['spec']
  },
}

const secret: Strategy = {
  defaults(object) {
    object['type'] ??= 'Opaque'
    const given = object['stringData']
    delete object['stringData']
    if (!isObject(given)) return
    const data = section(object, 'data')
    for (const [key, value] of Object.entries(given)) data[key] = Buffer.from(String(value)).toString('base64')
  },
  validate: (object, old) => [...immutable(object, old, 'type'), ...frozen(object, old, ['data'])],
}

function frozen(object: KubeObject, old: KubeObject | undefined, keys: readonly string[]): Cause[] {
  if (old?.['immutable'] !== true) return []
  const why = 'Forbidden: field is immutable when `immutable` is set'
  return ['immutable', ...keys]
    .filter((key) => !equalJson(object[key], old[key]))
    .map((field) => ({ reason: 'FieldValueForbidden', message: why, field }))
}

const SERVICE: Defaults = {
  type: 'ClusterIP',
  sessionAffinity: 'None',
  sessionAffinityConfig: (spec) =>
    spec['sessionAffinity'] === 'ClientIP' ? { clientIP: { timeoutSeconds: 10_800 } } : undefined,
  internalTrafficPolicy: (spec) => (spec['type'] === 'ExternalName' ? undefined : 'Cluster'),
  ports: [{ protocol: 'TCP', targetPort: (port) => port['port'] }],
}

function allocate(taken: (address: string) => boolean): string {
  for (let at = 2; at < 254 * 256; at += 1) {
    const address = `10.0.${at >> 8}.${at & 255}`
    if (!taken(address)) return address
  }
  throw new Error('no cluster address is left in 10.0.0.0/16')
}

const service: Strategy = {
  defaults: (object) => fillDefaults(section(object, 'spec'), SERVICE),
  create(object, taken) {
    const spec = section(object, 'spec')
    object['status'] = { loadBalancer: {} }
    if (spec['type'] === 'ExternalName') return
    spec['clusterIP'] ||= allocate(taken)
    spec['clusterIPs'] = [spec['clusterIP']]
    spec['ipFamilies'] ??= ['IPv4']
    spec['ipFamilyPolicy'] ??= 'SingleStack'
  },
  update(object, old) {
    const spec = section(object, 'spec')
    const before = section(old, 'spec')
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) spec[key] ??= before[key]
  },
  validate: (object, old) => {
    const changed = immutable(object, old, 'spec', 'clusterIP')
    return changed.length === 0 || section(object, 'spec')['type'] === 'ExternalName'
      ? []
      : [invalidValue('spec.clusterIPs[0]', [section(object, 'spec')['clusterIP']], 'may not change once set')]
  },
}

const TEMPLATE: Defaults = { metadata: {}, 'spec?': POD_SPEC }
const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }
const DEPLOYMENT: Defaults = {
  replicas: 1,
  strategy: ROLLING,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  'template?': TEMPLATE,
}

const deployment: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    section(section(spec, 'template'), 'spec')
    fillDefaults(spec, DEPLOYMENT)
    if (spec['paused'] === false) delete spec['paused']
    const strategy = section(spec, 'strategy')
    strategy['type'] ??= 'RollingUpdate'
    if (strategy['type'] === 'RollingUpdate') fillDefaults(section(strategy, 'rollingUpdate'), ROLLING.rollingUpdate)
  },
  create: (object) => void (object['status'] = {}),
  validate: (object, old) => [...selectsTemplate(object), ...immutable(object, old, 'spec', 'selector')],
}

const JOB: Defaults = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  manualSelector: false,
  'template?': TEMPLATE,
}

const job: Strategy = {
  defaults: (object) => fillDefaults(section(object, 'spec'), JOB),
  create(object) {
    const spec = section(object, 'spec')
    object['status'] = {}
    if (spec['manualSelector'] === true) return
    const uid = String(object.metadata.uid)
    spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } }
    const labels = section(section(section(spec, 'template'), 'metadata'), 'labels')
    const own = { 'controller-uid': uid, 'job-name': object.metadata.name }
    for (const [key, value] of Object.entries(own)) labels[`batch.kubernetes.io/${key}`] = labels[key] = value
    object.metadata.labels ??= Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]))
  },
  update(object, old) {
    const spec = section(object, 'spec')
    spec['selector'] ??= section(old, 'spec')['selector']
  },
  validate: (object, old) => [
    ...jobRestartPolicy(object),
    ...immutable(object, old, 'spec', 'completions'),
    ...immutable(object, old, 'spec', 'selector'),
    ...immutable(object, old, 'spec', 'template'),
  ],
}

function jobRestartPolicy(object: KubeObject): Cause[] {
  const policy = section(section(section(object, 'spec'), 'template'), 'spec')['restartPolicy']
  if (policy === 'Never' || policy === 'OnFailure') return []
  const message = `Required value: valid values: "OnFailure", "Never"`
  return [{ reason: 'FieldValueRequired', message, field: 'spec.template.spec.restartPolicy' }]
}

const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })

const pod: Strategy = {
  defaults: (object) => fillDefaults(section(object, 'spec'), { ...POD_SPEC, enableServiceLinks: true }),
  create(object) {
    const spec = section(object, 'spec')
    spec['priority'] ??= 0
    spec['preemptionPolicy'] ??= 'PreemptLowerPriority'
    spec['tolerations'] ??= ['not-ready', 'unreachable'].map((key) => tolerate(`node.kubernetes.io/${key}`))
    object['status'] = { phase: 'Pending', qosClass: 'BestEffort' }
  },
  validate: (object, old) => immutable(object, old, 'spec', 'nodeName'),
}

const roleRef: Strategy = {
  defaults(object) {
    for (const holder of [object['roleRef'], ...(Array.isArray(object['subjects']) ? object['subjects'] : [])]) {
      if (!isObject(holder)) continue
      if (holder['kind'] === 'ServiceAccount') delete holder['apiGroup']
      else holder['apiGroup'] ??= 'rbac.authorization.k8s.io'
    }
  },
  validate: (object, old) =>
    immutable(object, old, 'roleRef').map((cause) => {
      const { apiGroup: APIGroup, kind: Kind, name: Name } = section(object, 'roleRef')
      return { ...cause, ...invalidValue('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef') }
    }),
}

/** Go shows the rules of a role even when there are none. */
const rules: Strategy = {
  defaults(object) {
    if (!Array.isArray(object['rules']) || object['rules'].length === 0) object['rules'] = null
  },
}

const STRATEGIES: { readonly [storeId: string]: Strategy } = {
  '/namespaces': namespace,
  '/secrets': secret,
  '/configmaps': { validate: (object, old) => frozen(object, old, ['data', 'binaryData']) },
  '/services': service,
  '/pods': pod,
  'apps/deployments': deployment,
  'apps/controllerrevisions': { validate: (object, old) => immutable(object, old, 'data') },
  'batch/jobs': job,
  'networking.k8s.io/networkpolicies': {
    defaults: (object) =>
      fillDefaults(section(object, 'spec'), {
        policyTypes: (spec) => (spec['egress'] ? ['Ingress', 'Egress'] : ['Ingress']),
      }),
  },
  'policy/poddisruptionbudgets': {
    create: (object) =>
      void (object['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  },
  'rbac.authorization.k8s.io/roles': rules,
  'rbac.authorization.k8s.io/clusterroles': rules,
  'rbac.authorization.k8s.io/rolebindings': roleRef,
  'rbac.authorization.k8s.io/clusterrolebindings': roleRef,
}

/** The strategy of a kind; custom kinds have none beyond their schema. */
export function strategyOf(kind: Kind): Strategy {
  return STRATEGIES[kind.storeId] ?? {}
}
