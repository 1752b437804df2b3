import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { keyFaults } from '../kinds/names.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import { read } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Fields of an event without `omitempty`, and required fields of an event with an `eventTime`. */
export const event: Strategy = {
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
