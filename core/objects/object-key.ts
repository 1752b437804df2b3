/** Name of an object: segments separated by `/`, checked by `parseObjectKey`. */
export type ObjectKey = string & { readonly __objectKey: true }

/** Prefix of object names, ending with `/`: checked by `parseObjectPrefix`. */
export type ObjectPrefix = string & { readonly __objectPrefix: true }

const MAX_LENGTH = 512
const MAX_SEGMENTS = 8
// A segment never begins with a dot, so that no key leaves its folder or names a temporary file.
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/

/** Parses a key. Undefined if the string is invalid. */
export function parseObjectKey(text: string): ObjectKey | undefined {
  return isPath(text) ? (text as ObjectKey) : undefined
}

/** Parses a prefix, such as `runs/`. Undefined if the string is invalid. */
export function parseObjectPrefix(text: string): ObjectPrefix | undefined {
  return text.endsWith('/') && isPath(text.slice(0, -1)) ? (text as ObjectPrefix) : undefined
}

/** Creates a key from segments that the program has made. Throws if the key is invalid. */
export function objectKey(...segments: readonly string[]): ObjectKey {
  const key = parseObjectKey(segments.join('/'))
  if (key === undefined) throw new TypeError('the key of an object is not valid')
  return key
}

/** Creates a prefix from segments that the program has made. Throws if the prefix is invalid. */
export function objectPrefix(...segments: readonly string[]): ObjectPrefix {
  return `${objectKey(...segments)}/` as ObjectPrefix
}

function isPath(text: string): boolean {
  if (text.length > MAX_LENGTH) return false
  const segments = text.split('/')
  return segments.length <= MAX_SEGMENTS && segments.every((segment) => SEGMENT.test(segment))
}
