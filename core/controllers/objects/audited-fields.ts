import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { AuditedFields } from '#core/cluster/object-index-tables.ts'

/** A change of one audited field; a side that did not exist is absent. */
export interface FieldChange {
  readonly from?: string | number | boolean
  readonly to?: string | number | boolean
}

// Longer strings are treated as content; the longest provider address has 2,048 characters.
const longest = 2_048

/**
 * Reads the audited fields of an object's spec: numbers, booleans, single-line strings, and lists as JSON; a long list is its hash, so that
 * its change shows. Other values are omitted.
 */
export function readFields(object: KubeObject, paths: readonly string[]): AuditedFields {
  const { spec } = object as { readonly spec?: unknown }
  const found = paths.map((path): [string, unknown] => [path, toShown(at(spec, path.split('.')))])
  return Object.fromEntries(found.filter((entry): entry is [string, string | number | boolean] => isShown(entry[1])))
}

/** Returns the differences; undefined if there are none or the previous values are unknown. */
export function changesOf(
  before: AuditedFields | undefined,
  after: AuditedFields | undefined,
): Readonly<Record<string, FieldChange>> | undefined {
  if (before === undefined || after === undefined) return undefined
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  const changed = paths.filter((path) => before[path] !== after[path])
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map((path) => [path, changeOf(before[path], after[path])]))
}

function changeOf(from: AuditedFields[string] | undefined, to: AuditedFields[string] | undefined): FieldChange {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

function at(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return at(new Map(Object.entries(value)).get(key), rest)
}

// Audit rows accept strings without white space, such as lists of names.
function toShown(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const text = canonicalJson(value)
  const fits = isShown(text) && !/\s/.test(text)
  return fits ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function isShown(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value.length <= longest && !/\p{C}/u.test(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}
