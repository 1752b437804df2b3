import { isIP } from 'node:net'
import { equalJson, objectsOf, stringOf, stringsOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { invalidValue, required, unsupportedValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { nameFaults } from '../kinds/names.ts'
import { fillDefaults } from './workloads/pod-defaults.ts'
import { immutable } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

/** Strategy of EndpointSlices. */
export const endpointSlice: Strategy = {
  defaults(object) {
    object['endpoints'] ??= null
    object['ports'] ??= null
    fillDefaults(object, { endpoints: [{ conditions: {} }], ports: [{ name: '', protocol: 'TCP' }] })
  },
  validate: (object, old) => {
    const type = stringOf(object['addressType'])
    const known = type === '' || ADDRESS_TYPES.includes(type)
    return [
      ...(type === '' ? [required('addressType')] : []),
      ...(known ? [] : [unsupportedValue('addressType', type, ADDRESS_TYPES)]),
      ...slicePortFaults(objectsOf(object['ports'])),
      ...(old && equalJson(object['endpoints'], old['endpoints']) ? [] : endpointsFaults(object['endpoints'], type)),
      ...immutable(object, old, 'addressType'),
    ]
  },
}

const endpointsFaults = (endpoints: Json | undefined, type: string): Cause[] =>
  objectsOf(endpoints).flatMap((each, i) => endpointFaults(each, type, `endpoints[${i}].addresses`))

function slicePortFaults(ports: readonly JsonObject[]): Cause[] {
  const names = ports.map(({ name }) => stringOf(name))
  return ports.flatMap(({ protocol }, i) => {
    const name = names[i] ?? ''
    const at = `ports[${i}]`
    return [
      ...(name === '' ? [] : nameFaults(name, 'label').map((why) => invalidValue(`${at}.name`, name, why))),
      ...(names.indexOf(name) < i
        ? [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(name)}`, field: `${at}.name` }]
        : []),
      ...(PROTOCOLS.includes(stringOf(protocol)) ? [] : [unsupportedValue(`${at}.protocol`, protocol, PROTOCOLS)]),
    ]
  })
}

function endpointFaults({ addresses }: JsonObject, type: string, at: string): Cause[] {
  const given = stringsOf(addresses)
  if (given.length === 0) return [required(at, 'must contain at least 1 address')]
  if (given.length > 100)
    return [
      { reason: 'FieldValueTooMany', message: `Too many: ${given.length}: must have at most 100 items`, field: at },
    ]
  return given.flatMap((address, i) => {
    const version = isIP(address)
    if (type === 'FQDN') return nameFaults(address, 'subdomain').map((why) => invalidValue(`${at}[${i}]`, address, why))
    if (version === 0)
      return [invalidValue(`${at}[${i}]`, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    return type === `IPv${version}` || !ADDRESS_TYPES.includes(type)
      ? []
      : [invalidValue(at, address, `must be an ${type} address`)]
  })
}
