import { isObject } from '#core/json/is-object.ts'

/**
 * Returns the part of a schema to which one of its references leads, such as `#/$defs/order`. Undefined if the target is not in the schema, is
 * named by an anchor, or lies below an `$id`, which changes what references mean. Nothing is fetched.
 */
export function findReferred(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  const steps = decode(reference.slice(2))?.split('/')
  if (steps === undefined) return undefined
  let found = root
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[key]
    if (hasOwnBase(found)) return undefined
  }
  return found
}

/** Whether references in a part of a schema are relative to that part. */
export function hasOwnBase(schema: unknown): boolean {
  return isObject(schema) && typeof schema['$id'] === 'string'
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
