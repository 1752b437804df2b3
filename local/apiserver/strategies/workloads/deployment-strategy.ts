import { isObject } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { forbiddenField } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { fillDefaults } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { dropZeros, immutable, read, section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'
import { selectsTemplate, fillTemplate } from './pod-template.ts'
import { boundFaults } from './number-bounds.ts'

const COUNTS = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'observedGeneration',
]

function rollsThough(object: KubeObject): Cause[] {
  const strategy = read(object, 'spec', 'strategy')
  if (!isObject(strategy) || strategy['type'] !== 'Recreate' || strategy['rollingUpdate'] === undefined) return []
  return [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
}

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }

const DEPLOYMENT: Defaults = {
  replicas: 1,
  strategy: ROLLING,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
}

/** Strategy of deployments: the template gets defaults and must match the selector. */
export const deployment: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    section(section(spec, 'template'), 'spec')
    fillDefaults(spec, DEPLOYMENT)
    fillTemplate(spec)
    if (spec['paused'] === false) delete spec['paused']
    dropZeros(spec, ['minReadySeconds'])
    dropZeros(section(object, 'status'), COUNTS)
    fillDefaults(section(object, 'status'), { conditions: [{ lastUpdateTime: null, lastTransitionTime: null }] })
    const strategy = section(spec, 'strategy')
    strategy['type'] ??= 'RollingUpdate'
    if (strategy['type'] === 'RollingUpdate') fillDefaults(section(strategy, 'rollingUpdate'), ROLLING.rollingUpdate)
  },
  create: (object) => {
    object['status'] = {}
  },
  validate: (object, old) => [
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...selectsTemplate(object),
    ...rollsThough(object),
    ...boundFaults(read(object, 'spec', 'replicas'), 'replicas'),
    ...immutable(object, old, 'spec', 'selector'),
  ],
}
