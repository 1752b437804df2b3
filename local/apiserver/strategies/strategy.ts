import { equalJson, isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { forbiddenField, invalidValue, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import type { Kind } from '../kinds/kind.ts'
import { keyFaults, labelValueFaults } from '../kinds/names.ts'
import { configMapFaults, secretFaults } from './config-map-faults.ts'
import { volumeClaim } from './claim-strategy.ts'
import { definition } from './definition-strategy.ts'
import { endpointSlice } from './endpoint-slice-strategy.ts'
import { ingress } from './ingress-strategy.ts'
import { node } from './node-strategy.ts'
import { fillDefaults } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { pod } from './pod-strategy.ts'
import { cronJob, replicaSet } from './stored-workloads.ts'
import { immutable, read, section } from './strategy-parts.ts'
import type { Strategy } from './strategy-parts.ts'
import { deployment, disruptionBudget, job } from './workload-strategy.ts'

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
  validate: (object, old) => [
    ...immutable(object, old, 'type'),
    ...frozen(object, old, ['data']),
    ...secretFaults(object),
  ],
}

function frozen(object: KubeObject, old: KubeObject | undefined, keys: readonly string[]): Cause[] {
  if (old?.['immutable'] !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return ['immutable', ...keys]
    .filter((key) => !equalJson(object[key], old[key]))
    .map((field) => forbiddenField(field, why))
}

const SERVICE: Defaults = {
  type: 'ClusterIP',
  sessionAffinity: 'None',
  sessionAffinityConfig: (spec) =>
    spec['sessionAffinity'] === 'ClientIP' ? { clientIP: { timeoutSeconds: 10_800 } } : undefined,
  internalTrafficPolicy: (spec) => (spec['type'] === 'ExternalName' ? undefined : 'Cluster'),
  ports: [{ protocol: 'TCP', targetPort: (port) => port['port'] }],
}

const FAMILIES: Defaults = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }

function allocate(taken: (address: string) => boolean): string {
  for (let at = 2; at < 254 * 256; at += 1) {
    const address = `10.0.${at >> 8}.${at & 255}`
    if (!taken(address)) return address
  }
  throw new Error('10.0.0.0/16 has no free cluster address')
}

function sameNames(ports: Json | undefined): Cause[] {
  const names = (Array.isArray(ports) ? ports : []).map((port) => (isObject(port) ? port['name'] : undefined))
  const seen = new Set<Json | undefined>()
  return names.flatMap((name, i) =>
    name !== undefined && seen.size === seen.add(name).size
      ? [
          {
            reason: 'FieldValueDuplicate',
            message: `Duplicate value: ${JSON.stringify(name)}`,
            field: `spec.ports[${i}].name`,
          },
        ]
      : [],
  )
}

const service: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    fillDefaults(spec, SERVICE)
    if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
    section(section(object, 'status'), 'loadBalancer')
    fillDefaults(section(object, 'status'), { conditions: [{ lastTransitionTime: null, reason: '', message: '' }] })
  },
  create(object, taken) {
    const spec = section(object, 'spec')
    object['status'] = { loadBalancer: {} }
    if (spec['type'] === 'ExternalName') return
    spec['clusterIP'] ||= allocate(taken)
    spec['clusterIPs'] = [spec['clusterIP']]
    fillDefaults(spec, FAMILIES)
  },
  update(object, old) {
    const spec = section(object, 'spec')
    const before = section(old, 'spec')
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) spec[key] ??= before[key]
  },
  stored(object, old) {
    const spec = section(object, 'spec')
    if (old && spec['type'] !== 'ExternalName') fillDefaults(spec, FAMILIES)
  },
  validate: (object, old) => {
    const changed = immutable(object, old, 'spec', 'clusterIP')
    const twice = sameNames(section(object, 'spec')['ports'])
    if (twice.length > 0) return twice
    return changed.length === 0 || section(object, 'spec')['type'] === 'ExternalName'
      ? []
      : [invalidValue('spec.clusterIPs[0]', [section(object, 'spec')['clusterIP']], 'may not change once set')]
  },
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

/** The rules of a role have no `omitempty`: null if absent. */
const rules: Strategy = {
  defaults(object) {
    object['rules'] ??= null
  },
  stored(object) {
    if (Array.isArray(object['rules']) && object['rules'].length === 0) object['rules'] = null
  },
}

const controllerRevision: Strategy = {
  validate: (object, old) => {
    if (old) return immutable(object, old, 'data')
    if (object['data'] === undefined) return [required('data', 'data is mandatory')]
    return isObject(object['data']) ? [] : [required('data', 'data must be a valid JSON object')]
  },
}

const PEER_PORTS: Defaults = { ports: [{ protocol: 'TCP' }] }

const networkPolicy: Strategy = {
  defaults: (object) =>
    fillDefaults(section(object, 'spec'), {
      podSelector: {},
      policyTypes: ({ egress }) => (Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']),
      ingress: [PEER_PORTS],
      egress: [PEER_PORTS],
    }),
  validate: (object) => {
    const labels = read(object, 'spec', 'podSelector', 'matchLabels')
    return Object.values(isObject(labels) ? labels : {}).flatMap((value) =>
      labelValueFaults(String(value), 'spec.podSelector.matchLabels'),
    )
  },
}

/** Fields of an event without `omitempty`, and required fields of an event with an `eventTime`. */
const event: Strategy = {
  defaults: (object) =>
    fillDefaults(object, {
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    }),
  validate: (object) => (object['eventTime'] ? lacks(object) : []).concat(elsewhere(object)),
}

function lacks(object: KubeObject): Cause[] {
  return ['reportingComponent', 'reportingInstance', 'action', 'reason'].flatMap((field) =>
    object[field] ? [] : [required(field), ...(field === 'reportingComponent' ? keyFaults(field, ['']) : [])],
  )
}

/** The cause of an event outside the namespace of its object; events of cluster-scoped objects belong to `default`. */
function elsewhere(object: KubeObject): Cause[] {
  const about = read(object, 'involvedObject', 'namespace') ?? ''
  const own = object.metadata.namespace ?? ''
  const fits = object['eventTime'] ? about !== '' : about === own || (own === 'default' && about === '')
  return fits ? [] : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}

const STRATEGIES: { readonly [storeId: string]: Strategy } = {
  '/namespaces': namespace,
  [DEFINITIONS]: definition,
  '/secrets': secret,
  '/configmaps': {
    validate: (object, old) => [...frozen(object, old, ['data', 'binaryData']), ...configMapFaults(object)],
  },
  '/services': service,
  '/pods': pod,
  'apps/deployments': deployment,
  'apps/controllerrevisions': controllerRevision,
  'batch/jobs': job,
  'apps/replicasets': replicaSet,
  'batch/cronjobs': cronJob,
  'networking.k8s.io/ingresses': ingress,
  'discovery.k8s.io/endpointslices': endpointSlice,
  '/persistentvolumeclaims': volumeClaim,
  '/nodes': node,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'policy/poddisruptionbudgets': disruptionBudget,
  'coordination.k8s.io/leases': {
    defaults: (object) => {
      section(object, 'spec')
    },
  },
  '/events': event,
  'rbac.authorization.k8s.io/roles': rules,
  'rbac.authorization.k8s.io/clusterroles': rules,
  'rbac.authorization.k8s.io/rolebindings': roleRef,
  'rbac.authorization.k8s.io/clusterrolebindings': roleRef,
}

/** The strategy of a kind; custom kinds have none beyond their schema. */
export function strategyOf(kind: Kind): Strategy {
  return STRATEGIES[kind.storeId] ?? {}
}
