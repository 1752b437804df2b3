import { asObject } from '#core/json/is-object.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { IndexedFields } from '#core/cluster/object-index-tables.ts'

// A row of the index stays small: objects of up to 1.5 MiB exist.
const longest = 65_536

/**
 * Reads the indexed fields of an object's spec, as they are. All are null for an object whose fields are longer than 64 KiB as JSON, or have text that
 * PostgreSQL does not store: NUL, and halves of surrogate pairs. A field that the object lacks is absent.
 */
export function readIndexed(object: KubeObject, names: readonly string[]): IndexedFields {
  const spec = asObject((object as { readonly spec?: unknown }).spec)
  const found = Object.fromEntries(names.filter((name) => Object.hasOwn(spec, name)).map((name) => [name, spec[name]]))
  const text = JSON.stringify(found)
  return text.length > longest || hasUnstorable(text) ? withoutValues(found) : found
}

// What reads a policy must not take it for an absent one.
function withoutValues(found: IndexedFields): IndexedFields {
  return Object.fromEntries(Object.keys(found).map((name) => [name, null]))
}

// JSON.stringify writes these characters as escapes, each after an even number of backslashes.
function hasUnstorable(text: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(text)
}
