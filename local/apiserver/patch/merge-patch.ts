import { isObject, setKey } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/** Applies an RFC 7386 merge patch in place and returns the document. */
export function applyMergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete document[key]
    else setKey(document, key, merged(Object.hasOwn(document, key) ? document[key] : undefined, value))
  }
  return document
}

function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  return applyMergePatch(isObject(target) ? target : {}, patch)
}
