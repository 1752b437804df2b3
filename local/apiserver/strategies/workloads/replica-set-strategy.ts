import type { KubeObject } from '../../json/kube-object.ts'
import { unsupportedValue } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { fillDefaults } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { dropZeros, immutable, read, section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'
import { boundFaults } from './number-bounds.ts'
import { fillTemplate, selectsTemplate, unselected } from './pod-template.ts'

/** Strategy of ReplicaSets: stored, no pods are created. */
export const replicaSet: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    section(section(spec, 'template'), 'spec')
    fillDefaults(spec, { replicas: 1 })
    fillTemplate(spec)
    dropZeros(spec, ['minReadySeconds'])
    const status = section(object, 'status')
    status['replicas'] ??= 0
    dropZeros(status, COUNTS.slice(1))
  },
  create: (object) => {
    object['status'] = { replicas: 0 }
  },
  validate: (object, old) => [
    ...boundFaults(read(object, 'spec', 'replicas'), 'replicas'),
    ...(read(object, 'spec', 'selector') === undefined ? unselected(object) : selectsTemplate(object)),
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...alwaysRestarts(object),
    ...immutable(object, old, 'spec', 'selector'),
  ],
}

function alwaysRestarts(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'template', 'spec', 'restartPolicy')
  return policy === 'Always' ? [] : [unsupportedValue('spec.template.spec.restartPolicy', policy, ['Always'])]
}

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration']
