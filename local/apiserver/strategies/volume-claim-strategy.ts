import { equalJson, isObject, stringOf, stringsOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { forbiddenField, invalidValue, required, unsupportedValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { nameFaults } from '../kinds/names.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import { billionthsOf } from './workloads/quantity.ts'
import { immutable, section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of PersistentVolumeClaims: stored, never bound. */
export const volumeClaim: Strategy = {
  defaults(object) {
    fillDefaults(section(object, 'spec'), { volumeMode: 'Filesystem' })
    section(section(object, 'spec'), 'resources')
    fillDefaults(section(object, 'status'), { phase: 'Pending' })
  },
  create: (object) => {
    object['status'] = { phase: 'Pending' }
  },
  validate: (object, old) => [...claimFaults(section(object, 'spec')), ...(old ? claimChanges(object, old) : [])],
}

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

function claimFaults(spec: JsonObject): Cause[] {
  const modes = stringsOf(spec['accessModes'])
  const at = 'spec.accessModes'
  const causes = modes.length === 0 ? [required(at, 'at least 1 access mode is required')] : []
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode))
  causes.push(
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => unsupportedValue(at, mode, ACCESS_MODES)),
  )
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod'))
    causes.push(forbiddenField(at, 'may not use ReadWriteOncePod with other access modes'))
  const { requests } = section(spec, 'resources')
  const asked = isObject(requests) ? requests['storage'] : undefined
  if (asked === undefined) causes.push(required('spec.resources[storage]'))
  else if ((billionthsOf(asked) ?? 1n) <= 0n)
    causes.push(invalidValue('spec.resources[storage]', asked, 'must be greater than zero'))
  const name = stringOf(spec['storageClassName'])
  const wrong = name === '' ? [] : nameFaults(name, 'subdomain')
  return [...causes, ...wrong.map((why) => invalidValue('spec.storageClassName', name, why))]
}

function claimChanges(object: KubeObject, old: KubeObject): Cause[] {
  const [next, before] = [section(object, 'spec'), section(old, 'spec')]
  const unbound = before['volumeName'] ? {} : { volumeName: next['volumeName'] }
  if (equalJson(next, { ...before, ...unbound })) return []
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  return [
    forbiddenField('spec', why),
    ...immutable(object, old, 'spec', 'volumeMode').map((cause) => ({ ...cause, field: 'volumeMode' })),
  ]
}
