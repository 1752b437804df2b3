import { equalJson, isObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { forbiddenField } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { configMapFaults, secretFaults } from './config-map-faults.ts'
import { immutable, section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of Secrets: `stringData` is written into `data`. */
export const secret: Strategy = {
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

/** Strategy of ConfigMaps. */
export const configMap: Strategy = {
  validate: (object, old) => [...frozen(object, old, ['data', 'binaryData']), ...configMapFaults(object)],
}

/** The causes of a change of an object that is marked immutable. */
function frozen(object: KubeObject, old: KubeObject | undefined, keys: readonly string[]): Cause[] {
  if (old?.['immutable'] !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return ['immutable', ...keys]
    .filter((key) => !equalJson(object[key], old[key]))
    .map((field) => forbiddenField(field, why))
}
