import { isObject, typeName } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { failedStatus } from '../json/status.ts'
import type { Status } from '../json/status.ts'
import { builtinSchema } from '../schema/built-in-schemas.ts'
import { PatchDoesNotApply, PatchTooCostly, applyJsonPatch } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { BadStrategicPatch, applyStrategicPatch } from './strategic-patch.ts'

const REJECTED = 'the server rejected our request due to an error in our request'
const MAX_OPERATIONS = 10_000

/**
 * Applies a patch of one of the three body types to a copy of the live object. A failure is a Status:
 * 400 for a malformed patch, 413 for too many operations, 415 for a strategic patch of a custom kind, 422 when an
 * operation does not apply. The result may be any object: the caller decodes and validates it like a body.
 */
export function applyBodyPatch(
  type: 'json' | 'merge' | 'strategic',
  live: KubeObject,
  patch: Json,
): KubeObject | Status {
  const document: JsonObject = structuredClone(live)
  if (type === 'json') return asObject(jsonPatch(document, patch))
  if (type === 'strategic') return asObject(strategicPatch(document, live, patch))
  if (!isObject(patch)) return failedStatus(400, 'BadRequest', notAnObject(patch))
  return asObject(applyMergePatch(document, structuredClone(patch)))
}

/** The document may lack `metadata` or its name: the caller compares it with the URL. */
function asObject(result: Json | Status): KubeObject | Status {
  return result as KubeObject | Status
}

const notAnObject = (patch: Json): string => `error decoding patch: expected an object, got ${typeName(patch)}`

function jsonPatch(document: JsonObject, patch: Json): Json | Status {
  const list = patch === null ? [] : patch
  if (!Array.isArray(list) || list.some((op) => op !== null && !isObject(op)))
    return failedStatus(400, 'BadRequest', 'error decoding patch: expected a list of operations')
  if (list.length > MAX_OPERATIONS) {
    const text = `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${list.length}`
    return failedStatus(413, 'RequestEntityTooLarge', text)
  }
  try {
    return applyJsonPatch(
      document,
      structuredClone(list).map((op) => (isObject(op) ? op : {})),
    )
  } catch (error) {
    if (error instanceof PatchTooCostly)
      return failedStatus(
        413,
        'RequestEntityTooLarge',
        'Request entity too large: the JSON patch moves too many list items',
      )
    if (error instanceof PatchDoesNotApply) return failedStatus(422, 'Invalid', REJECTED, {})
    throw error
  }
}

function strategicPatch(document: JsonObject, live: KubeObject, patch: Json): Json | Status {
  const group = live.apiVersion.includes('/') ? (live.apiVersion.split('/')[0] ?? '') : ''
  const schema = builtinSchema(group, live.kind)
  if (!schema) return failedStatus(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  if (patch === null) return document
  if (!isObject(patch)) return failedStatus(400, 'BadRequest', notAnObject(patch))
  try {
    return applyStrategicPatch(document, structuredClone(patch), schema)
  } catch (error) {
    if (!(error instanceof BadStrategicPatch)) throw error
    if (error.code === 422) return failedStatus(422, 'Invalid', REJECTED, {})
    return failedStatus(error.code, error.code === 400 ? 'BadRequest' : 'InternalError', error.message)
  }
}
