import { isObject, objectsOf, stringOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { invalidValue, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { compileJsonPath } from '../kinds/json-path.ts'
import { schemaAt } from './schema-faults.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const MAX_SELECTABLE = 8

/** Faults of the deprecation of a version. */
export function deprecationFaults({ deprecated, deprecationWarning: text }: JsonObject, path: string): Cause[] {
  if (typeof text !== 'string') return []
  const at = `${path}.deprecationWarning`
  if (deprecated !== true) return [invalidValue(at, text, 'can only be set for deprecated versions')]
  if (text === '') return [invalidValue(at, text, 'must not be an empty string')]
  if (Buffer.byteLength(text) > 256) return [invalidValue(at, text, 'must be <= 256 characters long')]
  return /^[\P{C}]*$/u.test(text) ? [] : [invalidValue(at, text, 'must only contain printable UTF-8 characters')]
}

/** Faults of the paths of a `scale` subresource. */
export function scaleFaults(subresources: Json | undefined, path: string): Cause[] {
  const scale = isObject(subresources) ? subresources['scale'] : undefined
  if (!isObject(scale)) return []
  const check = (key: string, roots: readonly string[]): Cause[] => {
    const text = stringOf(scale[key])
    const at = `${path}.scale.${key}`
    if (text === '') return key === 'labelSelectorPath' ? [] : [required(at)]
    if (!text.startsWith('.')) return [invalidValue(at, text, 'must be a simple json path starting with .')]
    return roots.some((root) => text.startsWith(`.${root}.`))
      ? []
      : [invalidValue(at, text, `should be a json path under ${roots.map((root) => `.${root}`).join(' or ')}`)]
  }
  return [
    ...check('specReplicasPath', ['spec']),
    ...check('statusReplicasPath', ['status']),
    ...check('labelSelectorPath', ['spec', 'status']),
  ]
}

/** Faults of printer columns. */
export function columnFaults(columns: Json | undefined, path: string): Cause[] {
  return objectsOf(columns).flatMap((column, i) => {
    const at = `${path}[${i}]`
    const [name, type, format, jsonPath] = ['name', 'type', 'format', 'jsonPath'].map((key) =>
      stringOf(column[key]),
    ) as [string, string, string, string]
    const types = `must be one of ${COLUMN_TYPES.join(',')}`
    const causes: Cause[] = name === '' ? [required(`${at}.name`)] : []
    if (type === '') causes.push(required(`${at}.type`, types))
    else if (!COLUMN_TYPES.includes(type)) causes.push(invalidValue(`${at}.type`, type, types))
    if (format !== '' && !COLUMN_FORMATS.includes(format))
      causes.push(invalidValue(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`))
    return [...causes, ...jsonPathFaults(jsonPath, `${at}.JSONPath`)]
  })
}

// kube-apiserver accepts a path that it cannot evaluate and shows an empty column; here it is refused.
function jsonPathFaults(jsonPath: string, at: string): Cause[] {
  if (jsonPath === '') return [required(at)]
  if (!jsonPath.startsWith('.')) return [invalidValue(at, jsonPath, 'must be a simple json path starting with .')]
  try {
    compileJsonPath(jsonPath)
    return []
  } catch {
    return [invalidValue(at, jsonPath, 'is not supported')]
  }
}

/** Faults of the fields that field selectors may use. */
export function selectableFieldFaults({ selectableFields, schema }: JsonObject, path: string): Cause[] {
  const root = isObject(schema) && isObject(schema['openAPIV3Schema']) ? schema['openAPIV3Schema'] : {}
  const fields = objectsOf(selectableFields).map(({ jsonPath }) => stringOf(jsonPath))
  const causes = fields.flatMap((jsonPath, i) => {
    const at = `${path}[${i}].jsonPath`
    if (jsonPath === '') return [required(at)]
    const found = jsonPath.startsWith('.') ? schemaAt(root, jsonPath) : undefined
    if (jsonPath.startsWith('.metadata.')) return [invalidValue(at, jsonPath, 'must not point to fields in metadata')]
    if (found === undefined) return [invalidValue(at, jsonPath, 'is an invalid path: does not refer to a valid field')]
    const isScalar = ['string', 'boolean', 'integer'].includes(stringOf(found['type']))
    return isScalar ? [] : [invalidValue(at, jsonPath, 'must point to a field of type string, boolean or integer')]
  })
  const twice = fields.flatMap((jsonPath, i) =>
    fields.indexOf(jsonPath) < i
      ? [
          {
            reason: 'FieldValueDuplicate',
            message: `Duplicate value: ${JSON.stringify(jsonPath)}`,
            field: `${path}[${i}].jsonPath`,
          },
        ]
      : [],
  )
  const count = new Set(fields).size
  if (count > MAX_SELECTABLE)
    causes.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${count}: must have at most ${MAX_SELECTABLE} items`,
      field: path,
    })
  return [...causes, ...twice]
}
