import { isObject } from '../json/json-value.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import { section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

const INFO = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
]

/** Strategy of Nodes. */
export const node: Strategy = {
  defaults(object) {
    section(object, 'spec')
    const status = section(object, 'status')
    if (isObject(status['capacity'])) status['allocatable'] ??= structuredClone(status['capacity'])
    fillDefaults(section(section(status, 'daemonEndpoints'), 'kubeletEndpoint'), { Port: 0 })
    const names = [...INFO, 'kubeProxyVersion', 'operatingSystem', 'architecture']
    fillDefaults(status, { conditions: [{ lastHeartbeatTime: null, lastTransitionTime: null }] })
    fillDefaults(section(status, 'nodeInfo'), Object.fromEntries(names.map((name) => [name, ''])))
  },
}
