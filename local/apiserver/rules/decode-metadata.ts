import { DecodingError } from '../json/api-error.ts'
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

/** The expected type of a known field, if its value has another. */
function shapeFault(key: string, value: unknown): string | undefined {
  const unless = (fits: boolean, expected: string) => (fits ? undefined : expected)
  if (STRINGS.includes(key)) return unless(typeof value === 'string', 'a string')
  if (NUMBERS.includes(key)) return unless(typeof value === 'number', 'a number')
  if (LISTS.includes(key)) return unless(Array.isArray(value), 'a list')
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  return unless(isMap && Object.values(value).every((each) => typeof each === 'string'), 'a map of strings')
}

/** Known fields of the metadata of a body; unknown ones are reported by name. */
export function cleanMeta(given: unknown, kind: Kind): { meta: ObjectMeta; unknown: string[] } {
  const meta: ObjectMeta = { name: '' }
  if (given === undefined || given === null) return { meta, unknown: [] }
  if (typeof given !== 'object' || Array.isArray(given)) throw new DecodingError(kind, 'metadata: expected an object')
  const unknown: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const expected = KNOWN.has(key) ? shapeFault(key, value) : undefined
    if (expected) throw new DecodingError(kind, `metadata.${key}: expected ${expected}`)
    if (!KNOWN.has(key)) unknown.push(`metadata.${key}`)
    else if (key !== 'selfLink' && !isEmpty(value)) Object.assign(meta, { [key]: value })
  }
  return { meta, unknown }
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
