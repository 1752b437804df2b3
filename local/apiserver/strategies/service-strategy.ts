import { isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import type { Defaults } from './workloads/pod-defaults.ts'
import { immutable, section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

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

/** Strategy of Services: a free cluster IP is allocated, nothing is routed. */
export const service: Strategy = {
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
