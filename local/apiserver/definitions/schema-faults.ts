import { isObject, objectsOf, stringOf, stringsOf } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import { forbiddenField, invalidValue, required, unsupportedValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { isSet, junctorsOf, partsOf } from './schema-paths.ts'
import type { RawSchema } from './schema-paths.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion'])

/** Keywords of JSON schema that a definition cannot use. */
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

/** Position of a schema: inside metadata or not, and why a default is not allowed. */
interface Context {
  readonly isRoot: boolean
  readonly insideMetadata: boolean
  readonly noDefault?: string
}

/** Faults of the keywords of a schema and of all schemas below it, as in kube-apiserver. */
export function schemaFaults(
  schema: RawSchema,
  path: string,
  context: Context = { isRoot: true, insideMetadata: false },
): Cause[] {
  const below = partsOf(schema, path).flatMap((each) =>
    schemaFaults(each.schema, each.path, belowOf(schema, each, context)),
  )
  const beside = junctorsOf(schema, path).flatMap((each) =>
    schemaFaults(each.schema, each.path, { ...context, isRoot: false }),
  )
  return [
    ...keywordFaults(schema, path, context),
    ...below,
    ...beside,
    ...mapTypeFaults(schema, path),
    ...listTypeFaults(schema, path),
    ...ruleFieldFaults(schema, path),
  ]
}

function belowOf(schema: RawSchema, { role, name = '' }: { role: string; name?: string }, context: Context): Context {
  const next = { ...context, isRoot: false }
  if (role === 'values' && context.insideMetadata)
    return { ...next, noDefault: 'inside additionalProperties applying to object metadata' }
  const owner = context.isRoot || schema['x-kubernetes-embedded-resource'] === true
  if (role !== 'property' || !owner || !META_FIELDS.has(name)) return next
  return { ...next, insideMetadata: true, ...(context.isRoot ? { noDefault: `in top-level ${name}` } : {}) }
}

function keywordFaults(schema: RawSchema, path: string, { insideMetadata, noDefault }: Context): Cause[] {
  const type = stringOf(schema['type'])
  const causes: Cause[] = UNSUPPORTED.filter((key) => isSet(schema[key])).map((key) =>
    forbiddenField(`${path}.${key}`, `${key} is not supported`),
  )
  if (type !== '' && !TYPES.includes(type)) causes.push(unsupportedValue(`${path}.type`, type, TYPES))
  if (type === 'null')
    causes.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  if (schema['default'] !== undefined && noDefault !== undefined)
    causes.push(forbiddenField(`${path}.default`, `must not be set ${noDefault}`))
  if (Array.isArray(schema['items']))
    causes.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'))
  if (insideMetadata && schema['x-kubernetes-embedded-resource'] === true)
    causes.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  if (schema['uniqueItems'] === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    causes.push(forbiddenField(`${path}.uniqueItems`, why))
  }
  const values = schema['additionalProperties']
  if ((values === false || isObject(values)) && isSet(schema['properties'])) {
    const why = 'additionalProperties and properties are mutual exclusive'
    causes.push(forbiddenField(`${path}.additionalProperties`, why))
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    causes.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  return causes
}

/** The cause of a type that an extension requires. */
function typeFor(schema: RawSchema, path: string, wanted: string, extension: string): Cause[] {
  const type = stringOf(schema['type'])
  if (type === wanted) return []
  const why = `must be ${wanted} if ${extension} is specified`
  return [type === '' ? required(`${path}.type`, why) : invalidValue(`${path}.type`, type, why)]
}

function mapTypeFaults(schema: RawSchema, path: string): Cause[] {
  const key = 'x-kubernetes-map-type'
  const given = schema[key]
  if (given === undefined) return []
  const known = ['atomic', 'granular']
  return [
    ...typeFor(schema, path, 'object', key),
    ...(known.includes(String(given)) ? [] : [unsupportedValue(`${path}.${key}`, given, known)]),
  ]
}

function listTypeFaults(schema: RawSchema, path: string): Cause[] {
  const at = `${path}.x-kubernetes-list-type`
  const type = schema['x-kubernetes-list-type']
  const keys = stringsOf(schema['x-kubernetes-list-map-keys'])
  const causes: Cause[] = []
  if (keys.length > 0 && type !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    causes.push(type === undefined ? required(at, why) : invalidValue(at, type, why))
  }
  if (type === undefined) return causes
  causes.push(...typeFor(schema, path, 'array', 'x-kubernetes-list-type'))
  const known = ['atomic', 'set', 'map']
  if (!known.includes(String(type))) causes.push(unsupportedValue(at, type, known))
  if (type === 'map') causes.push(...mapListFaults(schema, keys, path))
  const items = schema['items']
  if (!isObject(items) || (type !== 'set' && type !== 'map')) return causes
  if (items['nullable'] === true)
    causes.push(forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`))
  return type === 'set' && causes.length === 0 ? setItemFaults(items, path) : causes
}

function setItemFaults(items: RawSchema, path: string): Cause[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const key = items['type'] === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type'
  const value = items[key] ?? null
  const isWrong = items['type'] === 'array' ? value !== null && value !== 'atomic' : value !== 'atomic'
  return ['array', 'object'].includes(String(items['type'])) && isWrong
    ? [invalidValue(`${path}.items.${key}`, value, why)]
    : []
}

function mapListFaults(schema: RawSchema, keys: readonly string[], path: string): Cause[] {
  const at = `${path}.x-kubernetes-list-map-keys`
  const causes = keys.length > 0 ? [] : [required(at, 'must not be empty if x-kubernetes-list-type is map')]
  const { items } = schema
  if (items === undefined)
    return [...causes, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')]
  if (!isObject(items)) return causes
  if (items['type'] !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    return [...causes, invalidValue(`${path}.items.type`, items['type'] ?? '', why)]
  }
  if (new Set(keys).size < keys.length) causes.push(invalidValue(at, keys, 'must not contain duplicate entries'))
  return causes.concat(keys.flatMap((key) => mapKeyFaults(items, key, path, keys)))
}

function mapKeyFaults(items: RawSchema, key: string, path: string, keys: readonly string[]): Cause[] {
  const { properties } = items
  const own = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  const at = `${path}.items.properties[${key}]`
  if (!isObject(own))
    return [invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties')]
  const causes: Cause[] = []
  if (own['type'] === 'array' || own['type'] === 'object')
    causes.push(
      invalidValue(
        `${at}.type`,
        items['type'],
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    )
  const mustBe = 'this property is in x-kubernetes-list-map-keys, so it'
  if (!stringsOf(items['required']).includes(key) && own['default'] === undefined)
    causes.push(required(`${at}.default`, `${mustBe} must have a default or be a required property`))
  if (own['nullable'] === true) causes.push(forbiddenField(`${at}.nullable`, `${mustBe} cannot be nullable`))
  return causes
}

const hasNewline = (text: string): boolean => /[\n\r]/.test(text)

/** Faults of the fields of a rule; its expression is checked later. */
function ruleFieldFaults(schema: RawSchema, path: string): Cause[] {
  return objectsOf(schema['x-kubernetes-validations']).flatMap((rule, i) => {
    const at = `${path}.x-kubernetes-validations[${i}]`
    const [text, message, expression, fieldPath] = ['rule', 'message', 'messageExpression', 'fieldPath'].map((key) =>
      stringOf(rule[key]),
    ) as [string, string, string, string]
    const causes: Cause[] = messageFaults(text, message, at)
    const blank = (value: string) => value !== '' && value.trim() === ''
    if (blank(expression))
      causes.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'))
    const reason: Json | undefined = rule['reason']
    if (reason !== undefined && !REASONS.includes(String(reason)))
      causes.push(unsupportedValue(`${at}.reason`, reason, REASONS))
    if (blank(fieldPath)) causes.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified'))
    else if (hasNewline(fieldPath))
      causes.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must not contain line breaks'))
    else if (fieldPath !== '' && !isFieldPath(schema, fieldPath))
      causes.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must be a valid path'))
    return causes
  })
}

function messageFaults(rule: string, message: string, at: string): Cause[] {
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
  if (message !== '' && message.trim() === '')
    return [invalidValue(`${at}.message`, message, 'must be non-empty if specified')]
  if (hasNewline(message.trim())) return [invalidValue(`${at}.message`, message, 'must not contain line breaks')]
  if (hasNewline(rule.trim()) && message.trim() === '')
    return [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
  return []
}

const STEP = /^(?:\.([^.[\]]+)|\['([^']+)'\])/

/** True for a path of declared fields, such as `.spec.size` or `.labels['a']`. */
export function isFieldPath(schema: RawSchema, fieldPath: string): boolean {
  return schemaAt(schema, fieldPath) !== undefined
}

/** The schema at a path of declared fields; undefined if a field on it is not declared. */
export function schemaAt(schema: RawSchema, fieldPath: string): RawSchema | undefined {
  let at: RawSchema | undefined = schema
  let rest = fieldPath
  while (rest !== '' && at !== undefined) {
    const found = STEP.exec(rest)
    if (!found) return undefined
    const name = found[1] ?? found[2] ?? ''
    const { properties, additionalProperties }: RawSchema = at
    const next: Json | undefined =
      isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    at = isObject(next) ? next : undefined
    rest = rest.slice(found[0].length)
  }
  return at
}
