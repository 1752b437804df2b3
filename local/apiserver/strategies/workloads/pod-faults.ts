import { isObject, objectsOf } from '../../json/json-value.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { forbiddenField, invalidValue, required } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { nameFaults } from '../../kinds/names.ts'
import { billionthsOf } from './quantity.ts'

/** Faults of the containers and volumes of a pod. */
export function podFaults(spec: Json | undefined, path: string): Cause[] {
  const whole = isObject(spec) ? spec : {}
  const containers = objectsOf(whole['containers'])
  if (containers.length === 0) return [required(`${path}.containers`)]
  const own = containers.flatMap(({ name, image, resources }, i) => [
    ...nameFaults(String(name ?? ''), 'label').map((why) =>
      invalidValue(`${path}.containers[${i}].name`, name ?? '', why),
    ),
    ...(image ? [] : [required(`${path}.containers[${i}].image`)]),
    ...resourceFaults(resources, `${path}.containers[${i}].resources`),
  ])
  return [...volumeFaults(whole, path), ...own]
}

/** Faults of requests above their limits. */
function resourceFaults(resources: Json | undefined, path: string): Cause[] {
  const { requests, limits } = isObject(resources) ? resources : {}
  if (!isObject(requests) || !isObject(limits)) return []
  return Object.entries(requests).flatMap(([name, asked]) => {
    const [wanted, most] = [billionthsOf(asked), billionthsOf(limits[name])]
    if (wanted === undefined || most === undefined || wanted <= most) return []
    return [
      invalidValue(`${path}.requests`, asked, `must be less than or equal to ${name} limit of ${String(limits[name])}`),
    ]
  })
}

// The types are in the order of kube-apiserver's validation: the first one counts, the others are faults.
const VOLUMES = ['emptyDir', 'hostPath', 'secret', 'persistentVolumeClaim', 'downwardAPI', 'configMap', 'projected']
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc']

/** Faults of all present keys but the first: a merge of two writers can leave two. */
function tooMany(of: Json | undefined, path: string, keys: readonly string[], what: string): Cause[] {
  const given = isObject(of) ? keys.filter((key) => of[key] !== undefined) : []
  return given.slice(1).map((key) => forbiddenField(`${path}.${key}`, `may not specify more than 1 ${what} type`))
}

/** Faults of volumes with several types, and of mounts without a volume. */
function volumeFaults(spec: JsonObject, path: string): Cause[] {
  const known = new Set<Json | undefined>()
  const faults = objectsOf(spec['volumes']).flatMap((volume, i) => {
    const found = tooMany(volume, `${path}.volumes[${i}]`, VOLUMES, 'volume')
    if (found.length === 0) known.add(volume['name'])
    return found
  })
  return objectsOf(spec['containers']).reduce((sum, container, i) => {
    const at = `${path}.containers[${i}]`
    const lost = objectsOf(container['volumeMounts']).flatMap(({ name }, j) =>
      known.has(name)
        ? []
        : [
            {
              reason: 'FieldValueNotFound',
              message: `Not found: ${JSON.stringify(name)}`,
              field: `${at}.volumeMounts[${j}].name`,
            },
          ],
    )
    return [...sum, ...lost, ...tooMany(container['readinessProbe'], `${at}.readinessProbe`, HANDLERS, 'handler')]
  }, faults)
}
