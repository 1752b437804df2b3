import { equalJson, isObject, stringOf } from '../json/json-value.ts'
import { forbiddenField, invalidValue, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { patternFault } from '../schema/validate-value.ts'
import { isSet, junctorsOf, partsOf } from './schema-paths.ts'
import type { RawSchema } from './schema-paths.ts'

type Level = 'root' | 'items' | 'field'

const NO_TYPE: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }]

/** Keywords that a schema below `allOf`, `anyOf`, `oneOf` or `not` must not set: it restricts values and declares no structure. */
const FORBIDDEN: readonly (readonly [key: string, why: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

/** Why a schema is not structural (each field has one type and one place), as in kube-apiserver. */
export function structuralFaults(root: RawSchema, path: string): Cause[] {
  return [
    ...invariantFaults(root, 'root', path),
    ...junctorsOf(root, path).flatMap((each) => undeclared(each, root, path)),
  ]
}

function invariantFaults(schema: RawSchema, level: Level, path: string): Cause[] {
  const { items, additionalProperties: values } = schema
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const causes: Cause[] = []
  if (schema['type'] === 'array' && !isObject(items)) causes.push(required(`${path}.items`, 'must be specified'))
  if (isSet(values) && level === 'root')
    causes.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'))
  if (isSet(values) && embedded)
    causes.push(
      forbiddenField(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    )
  causes.push(...extensionFaults(schema, path), ...typeFaults(schema, level, path), ...valueFaults(schema, path))
  if (level === 'root' || embedded) causes.push(...headFaults(schema, path))
  if (level === 'root') causes.push(...rootMetadataFaults(schema, path))
  if (embedded && schema['x-kubernetes-preserve-unknown-fields'] !== true && !isSet(schema['properties'])) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    causes.push(required(`${path}.properties`, why))
  }
  const parts = partsOf(schema, path)
  return causes.concat(
    parts.flatMap((each) => invariantFaults(each.schema, each.role === 'items' ? 'items' : 'field', each.path)),
  )
}

function extensionFaults(schema: RawSchema, path: string): Cause[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return []
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((key) => schema[key] === true)
    .map((key) => invalidValue(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'))
}

function typeFaults(schema: RawSchema, level: Level, path: string): Cause[] {
  const type = stringOf(schema['type'])
  const at = `${path}.type`
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    return [type === '' ? required(at, why) : invalidValue(at, type, why)]
  }
  const untyped =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  if (type === '' && !untyped) return [required(at, NO_TYPE[level])]
  return level === 'root' && type !== '' && type !== 'object'
    ? [invalidValue(at, type, 'must be object at the root')]
    : []
}

/** Faults of `kind`, `apiVersion` and `metadata` of an object. */
function headFaults({ properties }: RawSchema, path: string): Cause[] {
  if (!isObject(properties)) return []
  const wanted = { kind: 'string', apiVersion: 'string', metadata: 'object' }
  return Object.entries(wanted).flatMap(([key, type]) => {
    const found = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!isObject(found) || found['type'] === type) return []
    return [invalidValue(`${path}.properties[${key}].type`, found['type'] ?? '', `must be ${type}`)]
  })
}

function rootMetadataFaults({ properties }: RawSchema, path: string): Cause[] {
  const metadata = isObject(properties) ? properties['metadata'] : undefined
  if (!isObject(metadata)) return []
  const { type: _type, default: _default, properties: named, ...rest } = metadata
  const others = Object.keys(isObject(named) ? named : {}).filter((key) => key !== 'name' && key !== 'generateName')
  if (others.length === 0 && !Object.values(rest).some(isSet)) return []
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
  return [forbiddenField(`${path}.properties[metadata]`, why)]
}

/** Faults of the restrictions of a value; integers or strings may list their two types. */
function valueFaults(schema: RawSchema, path: string): Cause[] {
  const { anyOf, allOf } = schema
  const [first] = Array.isArray(allOf) ? allOf : []
  const skipped = new Set<string>()
  if (equalJson(anyOf, INT_OR_STRING)) for (const i of INT_OR_STRING.keys()) skipped.add(`${path}.anyOf[${i}]`)
  if (isObject(first) && equalJson(first['anyOf'], INT_OR_STRING))
    for (const i of INT_OR_STRING.keys()) skipped.add(`${path}.allOf[0].anyOf[${i}]`)
  return restrictionFaults(schema, path, skipped)
}

function restrictionFaults(schema: RawSchema, path: string, skipped: ReadonlySet<string>): Cause[] {
  const { pattern } = schema
  const wrong = typeof pattern === 'string' && pattern !== '' ? patternFault(pattern) : undefined
  const causes = junctorsOf(schema, path)
    .filter((each) => !skipped.has(each.path))
    .flatMap((each) => nestedFaults(each.schema, each.path, skipped))
  if (wrong === undefined) return causes
  const why = `must be a valid regular expression, but isn't: ${wrong}`
  return [...causes, invalidValue(`${path}.pattern`, pattern, why)]
}

function nestedFaults(schema: RawSchema, path: string, skipped: ReadonlySet<string>): Cause[] {
  const { properties } = schema
  const causes = FORBIDDEN.filter(([key]) => isSet(schema[key])).map(([key, why]) =>
    forbiddenField(`${path}.${key}`, why),
  )
  if (isObject(properties) && Object.hasOwn(properties, 'metadata'))
    causes.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
  const parts = partsOf(schema, path).filter(({ role }) => role !== 'values')
  return [
    ...causes,
    ...restrictionFaults(schema, path, skipped),
    ...parts.flatMap((each) => nestedFaults(each.schema, each.path, skipped)),
  ]
}

/** Fields that only a restriction names: each must be declared outside of it. */
function undeclared(at: { schema: RawSchema; path: string }, declared: RawSchema | undefined, path: string): Cause[] {
  if (declared === undefined) return [required(path, `because it is defined in ${at.path}`)]
  const { items, properties } = declared
  const known = isObject(properties) ? properties : {}
  const below = partsOf(at.schema, at.path).flatMap((each) => {
    if (each.role === 'items') return undeclared(each, isObject(items) ? items : undefined, `${path}.items`)
    const { name } = each
    if (name === undefined) return []
    const own = Object.hasOwn(known, name) ? known[name] : undefined
    return undeclared(each, isObject(own) ? own : undefined, `${path}.properties[${name}]`)
  })
  return [...below, ...junctorsOf(at.schema, at.path).flatMap((each) => undeclared(each, declared, path))]
}
