import { badRequest } from '../json/api-error.ts'
import type { ObjectMeta } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'

const STRING_MAPS = ['labels', 'annotations']
const STRINGS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'selfLink',
]
const NUMBERS = ['generation', 'deletionGracePeriodSeconds']
const LISTS = ['finalizers', 'ownerReferences', 'managedFields']
const KNOWN = new Set([...STRING_MAPS, ...STRINGS, ...NUMBERS, ...LISTS])

/** The JSON type found and the Go type expected, when a field of metadata has the wrong type. */
function shapeFault(key: string, value: unknown): { found: unknown; expected: string } | undefined {
  const wrong = (found: unknown, expected: string) => ({ found, expected })
  if (STRINGS.includes(key)) return typeof value === 'string' ? undefined : wrong(value, 'string')
  if (NUMBERS.includes(key)) return typeof value === 'number' ? undefined : wrong(value, 'int64')
  if (LISTS.includes(key)) return Array.isArray(value) ? undefined : wrong(value, '[]string')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(value, 'map[string]string')
  const item = Object.values(value).find((each) => typeof each !== 'string')
  return item === undefined ? undefined : wrong(item, 'string')
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** The 400 of a body whose JSON types are not those of the kind. */
export function undecodable(kind: Kind, found: unknown, field: string, expected: string): Error {
  const why = `json: cannot unmarshal ${goType(found)} into Go ${field} of type ${expected}`
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  )
}

/** Metadata as it came in, reduced to the known fields of the right types; the rest is reported as unknown. */
export function cleanMeta(given: unknown, kind: Kind): { meta: ObjectMeta; unknown: string[] } {
  const meta: ObjectMeta = { name: '' }
  if (given === undefined || given === null) return { meta, unknown: [] }
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw undecodable(kind, given, 'value', 'v1.ObjectMeta')
  }
  const unknown: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const fault = KNOWN.has(key) ? shapeFault(key, value) : undefined
    if (fault)
      throw undecodable(
        kind,
        fault.found,
        `struct field ObjectMeta.${kind.custom ? '' : 'metadata.'}${key}`,
        fault.expected,
      )
    if (!KNOWN.has(key)) unknown.push(`metadata.${key}`)
    else if (key !== 'selfLink' && !isEmpty(value)) Object.assign(meta, { [key]: value })
  }
  return { meta, unknown }
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
