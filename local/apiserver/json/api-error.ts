import type { JsonObject } from './json-value.ts'
import { isStatus } from './status.ts'
import type { Cause, Status } from './status.ts'

/** An error that carries the complete response to the client. */
export class ApiError extends Error {
  readonly status: Status
  readonly code: number
  constructor(status: Status) {
    super(status.message ?? 'unknown')
    this.status = status
    this.code = status.code ?? 500
  }
}

/** The 400 of a body whose values do not have the types of its kind. */
export class DecodingError extends ApiError {
  readonly why: string
  constructor({ kind, version }: { readonly kind: string; readonly version: string }, why: string) {
    const message = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`
    super({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'BadRequest',
      code: 400,
    })
    this.why = why
  }
}

/** Kind of object in a message: `resource` is the plural; validation messages use `kind`. */
export interface NamedKind {
  readonly group: string
  readonly resource: string
  readonly kind: string
}

type Failure = { code: number; reason?: string; message: string; details?: Status['details']; metadata?: JsonObject }

/** Any failure as an error carrying its Status. */
export function failure({ code, reason, message, details, metadata = {} }: Failure): ApiError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message }
  if (reason !== undefined) status.reason = reason
  if (details) status.details = details
  status.code = code
  return new ApiError(status)
}

function detailsOf(of: NamedKind, name: string, kind = of.resource): NonNullable<Status['details']> {
  return { ...(name ? { name } : {}), ...(of.group ? { group: of.group } : {}), kind }
}

/** `widgets.mesh.dev`, or `pods` in the core group. */
export const qualified = (group: string, name: string): string => (group ? `${name}.${group}` : name)

export const badRequest = (message: string): ApiError => failure({ code: 400, reason: 'BadRequest', message })

export const notFound = (of: NamedKind, name: string): ApiError =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(of.group, of.resource)} "${name}" not found`,
    details: detailsOf(of, name),
  })

export const alreadyExists = (of: NamedKind, name: string, deleted = false): ApiError =>
  failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${deleted ? 'object is being deleted: ' : ''}${qualified(of.group, of.resource)} "${name}" already exists`,
    details: detailsOf(of, name),
  })

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

/** 409; the message of a delete names the kind instead of the resource, as in kube-apiserver. */
export const conflict = (of: NamedKind, name: string, why: string, by: 'resource' | 'kind' = 'resource'): ApiError =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(of.group, of[by])} "${name}": ${why}`,
    details: detailsOf(of, name, of[by]),
  })

/** Maximum number of causes in one response: each repeats a value, so that all of them could exceed the body many times. */
const MAX_CAUSES = 1_000

/** 422 with its causes; `by` chooses what the message calls the object. */
export function invalid(
  of: NamedKind,
  name: string,
  found: readonly Cause[],
  by: 'resource' | 'kind' = 'kind',
): ApiError {
  const causes = found.slice(0, MAX_CAUSES)
  const all = causes.map((cause) => (cause.field ? `${cause.field}: ${cause.message}` : String(cause.message)))
  const lines = [...new Set(all)]
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(of.group, of[by])} "${name}" is invalid: ${lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`}`,
    details: { ...detailsOf(of, name, of[by]), causes: [...causes] },
  })
}

export const forbidden = (of: NamedKind, name: string, why: string, causes?: Cause[]): ApiError =>
  failure({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(of.group, of.resource)}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    details: { ...detailsOf(of, name), ...(causes ? { causes } : {}) },
  })

export const unknownResource = (): ApiError =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })

export const methodNotAllowed = (): ApiError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  })

/** 405 of a resource that is served, for a verb it lacks. */
export const verbNotSupported = (of: NamedKind, action: string): ApiError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind "${qualified(of.group, of.resource)}"`,
    details: detailsOf(of, ''),
  })

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  })

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  })

export const expired = (message: string, metadata: JsonObject = {}): ApiError =>
  failure({ code: 410, reason: 'Expired', message, metadata })

export const unauthorized = (): ApiError => failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })

export const tooLarge = (limit: number): ApiError =>
  failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  })

/** 503 while the data folder cannot be written, as with a full disk; reads still succeed. */
export const storageUnavailable = (code = ''): ApiError =>
  failure({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `the data folder cannot be written${code === 'ENOSPC' ? ': no space is left on the device' : ''}`,
    details: { retryAfterSeconds: 5, causes: [{ reason: 'StorageUnavailable', message: code, field: '' }] },
  })

/** A list, get or watch at a version that does not exist yet. */
export const versionTooLarge = (asked: number, current: number): ApiError =>
  failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })

/** Throws a returned failure; returns any other result. */
export function orThrow<T extends object>(result: T | Status): T {
  if (isStatus(result)) throw new ApiError(result)
  return result
}
