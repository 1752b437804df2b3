import { applyPatch } from '../apply/server-side-apply.ts'
import { typedFaults } from '../apply/typed-value-faults.ts'
import { ApiError, badRequest, conflict, failure, notFound } from '../json/api-error.ts'
import { isObject } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { parse } from '../json/parse-body.ts'
import type { Kind } from '../kinds/kind.ts'
import { cleanMeta } from '../rules/decode-metadata.ts'
import { decodeFault } from '../schema/built-in-decoding.ts'
import { objectSchema } from '../schema/compile-schema.ts'
import type { StoredVersion } from '../storage/stored.ts'
import { complete, identify, matchPath } from './decode-object.ts'
import type { Exchange } from './exchange.ts'
import { toVersion } from './read.ts'
import type { WriteOptions } from './write-options.ts'
import { insert, modify } from './write.ts'
import type { WriteResponse, WriteContext } from './write.ts'

export async function applyObject(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind,
  given: { text: string; options: WriteOptions; stored: StoredVersion | undefined },
): Promise<WriteResponse> {
  const { options, stored } = given
  if (!stored && exchange.info.subresource && !kind.rules.createOnUpdate) throw notFound(kind, exchange.info.name)
  const body = parseApply(given.text)
  const patch = declared(body, kind)
  if (!stored && patch.metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${patch.metadata.uid}, and no existing object was found`
    throw conflict(kind, exchange.info.name, why)
  }
  if (patch.metadata.managedFields) throw badRequest('metadata.managedFields must be nil')
  const live = stored && toVersion(stored.object, kind)
  const { manager, force } = options
  const result = applyPatch({
    live,
    patch,
    manager,
    force,
    schema: kind.schema,
    subresource: exchange.info.subresource,
    now: context.now(),
  })
  if ('conflict' in result)
    throw failure({ code: 409, reason: 'Conflict', message: result.message, details: { causes: result.conflict } })
  readable(patch, kind)
  matchPath(result.object, exchange, kind)
  const { managedFields, ...applied } = result.object.metadata
  const object = complete(structuredClone({ ...result.object, metadata: cleanMeta(applied, kind).meta }), kind, true)
  if (managedFields?.length) object.metadata.managedFields = managedFields
  const change = { object, options, applied: true }
  return stored ? modify(context, exchange, kind, { stored, ...change }) : insert(context, exchange, kind, change)
}

/** Refuses applied values that storage cannot hold, such as data that is not base64: a 500, as from kube-apiserver. */
function readable(patch: KubeObject, kind: Kind): void {
  const fault = kind.custom ? undefined : decodeFault(patch, kind.schema.schema)
  if (fault !== undefined) throw failure({ code: 500, message: `the applied object cannot be decoded: ${fault}` })
}

function parseApply(text: string): JsonObject {
  try {
    const body = parse(text, true)
    if (isObject(body)) return body
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw badRequest('error decoding YAML: the body is not an object')
}

/** The body of an apply: unknown fields are refused for every fieldValidation, and no defaults are filled. */
function declared(body: JsonObject, kind: Kind): KubeObject {
  if (body['apiVersion'] !== kind.apiVersion || body['kind'] !== kind.kind)
    throw badRequest(`invalid object type: expected ${kind.kind} of ${kind.apiVersion}`)
  const given = identify(body, kind)
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  const untyped = typedFaults({ ...body, metadata }, objectSchema(kind.schema.schema))
  if (untyped.length === 0) {
    const { meta } = cleanMeta(body['metadata'], kind)
    if (!meta.name) Reflect.deleteProperty(meta, 'name')
    // An applied empty map or string is owned, although it is not stored.
    for (const key of ['labels', 'annotations'] as const) {
      const value = metadata[key]
      if (isObject(value) && Object.keys(value).length === 0) meta[key] = {}
    }
    if (metadata['generateName'] === '') meta.generateName = ''
    return { ...given, metadata: meta }
  }
  throw failure({ code: 500, message: `the applied object does not fit the schema: ${untyped.join(', ')}` })
}
