import { DecodingError, badRequest, failure } from '../json/api-error.ts'
import type { ApiError } from '../json/api-error.ts'
import { sortKeys } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'
import { pathFaults } from '../kinds/names.ts'
import { cleanMeta } from '../rules/decode-metadata.ts'
import { strategyOf } from '../strategies/strategy-of-kind.ts'
import { decodeFault, dropEmpty } from '../schema/built-in-decoding.ts'
import { asKubeObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { WriteOptions } from './write-options.ts'

/** Maximum number of unknown fields of a built-in object in one response, as in kube-apiserver. */
const MAX_FAULTS = 100
const quoted = (field: string): string => JSON.stringify(field)

/** Checks kind and version of a body against the path; built-in kinds may omit both. */
export function identify(body: JsonObject, kind: Kind): KubeObject {
  const { apiVersion, kind: name } = body
  if (kind.custom && !name) throw badRequest(`kind is missing: expected ${kind.kind}`)
  const given = asKubeObject({
    ...body,
    kind: name || kind.kind,
    apiVersion: apiVersion || (kind.custom ? '' : kind.apiVersion),
  })
  if (!kind.custom && (given.apiVersion !== kind.apiVersion || given.kind !== kind.kind)) throw anotherKind(given, kind)
  return given
}

/** A built-in object of another kind is refused before it is decoded. */
function anotherKind(given: KubeObject, kind: Kind): ApiError {
  return badRequest(`expected ${kind.kind} of ${kind.apiVersion}, got ${given.kind} of ${given.apiVersion}`)
}

/** Decodes a body as the kind: unknown fields are refused, reported by a warning or dropped; defaults are filled. */
export function decode(body: JsonObject, kind: Kind, options: WriteOptions, warnings: string[]): KubeObject {
  const given = identify(body, kind)
  const fault = kind.custom ? undefined : decodeFault(given, kind.schema.schema)
  if (fault) throw new DecodingError(kind, fault)
  const [version = '', group = ''] = given.apiVersion.split('/').toReversed()
  const { meta, unknown } = cleanMeta(body['metadata'], { ...kind, version, kind: given.kind })
  // A custom object of another kind has no schema here; validation refuses it.
  const known = given.kind === kind.kind && group === kind.group
  if (options.fieldValidation !== 'Ignore') {
    const fields = [...new Set([...unknown, ...(known ? kind.schema.unknownFields(given) : [])])].sort()
    const named = kind.custom ? fields.map((field) => `"${field}"`) : fields.slice(0, MAX_FAULTS).map(quoted)
    const faults = named.map((field) => `unknown field ${field}`)
    if (faults.length > 0 && options.fieldValidation === 'Strict') {
      throw new DecodingError({ kind: given.kind, version }, `strict decoding error: ${faults.join(', ')}`)
    }
    warnings.push(...faults)
  }
  if (given.apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    )
  }
  return complete({ ...given, metadata: meta }, kind)
}

/** Drops repeated owner references, with a warning. */
function dropDuplicateOwners(meta: ObjectMeta, warnings: string[]): void {
  const owners = meta.ownerReferences ?? []
  const first = new Map<string, OwnerReference>()
  const twice = new Set<string>()
  for (const owner of owners) {
    const words = JSON.stringify(sortKeys({ ...owner }))
    if (first.has(words)) twice.add(owner.uid)
    else first.set(words, owner)
  }
  if (twice.size === 0) return
  meta.ownerReferences = [...first.values()]
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(', ')}`,
  )
}

/** Drops unknown fields and fills defaults; nulls of a merge are kept for validation. */
export function complete(object: KubeObject, kind: Kind, merged = false): KubeObject {
  const { metadata } = object
  const pruned = kind.schema.prune(object)
  const whole = kind.schema.default({ ...pruned, metadata }, merged && kind.custom)
  strategyOf(kind).defaults?.(whole)
  if (!kind.custom) dropEmpty(whole, kind.schema.schema)
  return whole
}

/** Refuses a name that is invalid in a path. */
export function checkName(name: string): void {
  const [fault] = pathFaults(name)
  if (fault) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${fault}`)
}

/** Refuses a name or namespace in the body that differs from the path. */
export function matchPath(object: KubeObject, exchange: Exchange, kind: Kind): void {
  const { namespace, name } = exchange.info
  if (kind.namespaced && object.metadata.namespace && object.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (name && !object.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (name && object.metadata.name !== name) {
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`)
  }
  if (kind.namespaced) object.metadata.namespace = namespace
  dropDuplicateOwners(object.metadata, exchange.warnings)
}

/** Decodes a patched object. */
export function decodePatched(patched: KubeObject, kind: Kind, options: WriteOptions, warnings: string[]): KubeObject {
  return blamePatch(() => decode(patched, kind, options, warnings))
}

/** Reports a decoding error of a patched object as a 422 of the patch. */
export function blamePatch<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error
    const cause = { reason: 'FieldValueInvalid', message: `Invalid value: ${error.why}`, field: 'patch' }
    throw failure({
      code: 422,
      reason: 'Invalid',
      message: ` "" is invalid: patch: ${cause.message}`,
      details: { causes: [cause] },
    })
  }
}
