import { isObject } from '../json/json-value.ts'
import { labelValueFaults } from '../kinds/names.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import type { Defaults } from './workloads/pod-defaults.ts'
import { read, section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

const PEER_PORTS: Defaults = { ports: [{ protocol: 'TCP' }] }

/** Strategy of NetworkPolicies: stored, not enforced. */
export const networkPolicy: Strategy = {
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
