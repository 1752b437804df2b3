import { isIP } from 'node:net'
import { isObject, objectsOf, stringOf, stringsOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import { invalidValue, required, unsupportedValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { nameFaults } from '../kinds/names.ts'
import { section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of Ingresses: stored, nothing is routed. */
export const ingress: Strategy = {
  defaults: (object) => {
    section(section(object, 'status'), 'loadBalancer')
  },
  create: (object) => {
    object['status'] = { loadBalancer: {} }
  },
  validate: (object) => {
    const { rules, defaultBackend, tls, ingressClassName } = section(object, 'spec')
    const causes: Cause[] = []
    if (objectsOf(rules).length === 0 && defaultBackend === undefined)
      causes.push(invalidValue('spec', [], 'either `defaultBackend` or `rules` must be specified'))
    if (isObject(defaultBackend)) causes.push(...backendFaults(defaultBackend, 'spec.defaultBackend'))
    causes.push(...objectsOf(rules).flatMap((rule, i) => ruleFaults(rule, `spec.rules[${i}]`)))
    for (const [i, { hosts }] of objectsOf(tls).entries())
      causes.push(...stringsOf(hosts).flatMap((host, j) => hostFaults(host, `spec.tls[${i}].hosts[${j}]`)))
    const wrong = typeof ingressClassName === 'string' ? nameFaults(ingressClassName, 'subdomain') : []
    return [...causes, ...wrong.map((why) => invalidValue('spec.ingressClassName', ingressClassName, why))]
  },
}

function hostFaults(host: string, at: string): Cause[] {
  const wrong = nameFaults(host.replace(/^\*\./, ''), 'subdomain')
  return wrong.map((why) => invalidValue(at, host, why))
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']

function ruleFaults({ host, http }: JsonObject, at: string): Cause[] {
  const name = stringOf(host)
  const causes = name === '' ? [] : hostFaults(name, `${at}.host`)
  if (isIP(name) !== 0) causes.push(invalidValue(`${at}.host`, name, 'must be a DNS name, not an IP address'))
  if (!isObject(http)) return causes
  const paths = objectsOf(http['paths'])
  if (paths.length === 0) causes.push(required(`${at}.http.paths`))
  return causes.concat(paths.flatMap((path, i) => pathFaults(path, `${at}.http.paths[${i}]`)))
}

function pathFaults({ path, pathType, backend }: JsonObject, at: string): Cause[] {
  const text = stringOf(path)
  if (pathType === undefined) return [required(`${at}.pathType`, 'pathType must be specified')]
  const causes: Cause[] = []
  const exact = pathType === 'Exact' || pathType === 'Prefix'
  if (!PATH_TYPES.includes(stringOf(pathType))) causes.push(unsupportedValue(`${at}.pathType`, pathType, PATH_TYPES))
  else if (!text.startsWith('/') && (exact || text !== ''))
    causes.push(invalidValue(`${at}.path`, text, 'must be an absolute path'))
  if (exact) {
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (text.includes(part)) causes.push(invalidValue(`${at}.path`, text, `must not contain '${part}'`))
    for (const end of ['/..', '/.'])
      if (text.endsWith(end)) causes.push(invalidValue(`${at}.path`, text, `cannot end with '${end}'`))
  }
  return [...causes, ...backendFaults(isObject(backend) ? backend : {}, `${at}.backend`)]
}

function backendFaults({ service, resource }: JsonObject, at: string): Cause[] {
  if (isObject(resource))
    return isObject(service) ? [invalidValue(at, '', 'cannot set both resource and service backends')] : []
  if (!isObject(service)) return [invalidValue(at, '', 'resource or service backend is required')]
  const name = stringOf(service['name'])
  const { name: portName, number } = isObject(service['port']) ? service['port'] : {}
  const causes = name === '' ? [required(`${at}.service.name`)] : []
  if (name !== '') causes.push(...nameFaults(name, 'label').map((why) => invalidValue(`${at}.service.name`, name, why)))
  if (portName && number) return [...causes, invalidValue(at, '', 'cannot set both port name & port number')]
  if (!portName && !number) return [...causes, required(at, 'port name or number is required')]
  if (typeof number === 'number' && (number < 1 || number > 65_535))
    causes.push(invalidValue(`${at}.service.port.number`, number, 'must be between 1 and 65535, inclusive'))
  return causes
}
