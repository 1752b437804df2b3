import { definitionFaults } from '../definitions/definition-faults.ts'
import { isObject, objectsOf, setKey, stringOf, stringsOf } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of CustomResourceDefinitions: names and conversion get defaults, the server owns the status. */
export const definition: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    const names = section(spec, 'names')
    if (typeof names['kind'] === 'string' && names['kind'] !== '') {
      names['singular'] ||= names['kind'].toLowerCase()
      names['listKind'] ||= `${names['kind']}List`
    }
    spec['conversion'] ??= { strategy: 'None' }
    dropNulls(spec)
  },
  create(object) {
    object['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: storageOf(object) }
  },
  update(object, old) {
    const before = section(old, 'status')
    const stored = stringsOf(before['storedVersions'])
    const added = storageOf(object).filter((version) => !stored.includes(version))
    object['status'] = { ...before, storedVersions: [...stored, ...added] }
  },
  validate: (object, old) => definitionFaults(object, old),
}

/** Keys whose values are any JSON. */
const ANY_JSON = new Set(['default', 'enum', 'example'])

/** Drops nulls, which Go decodes as absent, except in values; a property without a schema has an empty one. */
function dropNulls(value: Json | undefined, isMap = false): void {
  if (Array.isArray(value)) {
    const kept = value.filter((item) => item !== null)
    value.splice(0, value.length, ...kept)
    for (const item of value) dropNulls(item)
  }
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    if (item === null && isMap) setKey(value, key, {})
    else if (item === null && !ANY_JSON.has(key)) delete value[key]
    else if (isMap || !ANY_JSON.has(key)) dropNulls(item, !isMap && key === 'properties')
  }
}

/** The storage version of a definition, as a list. */
const storageOf = (object: KubeObject): string[] =>
  objectsOf(section(object, 'spec')['versions'])
    .filter(({ storage }) => storage === true)
    .slice(0, 1)
    .map(({ name }) => stringOf(name))
