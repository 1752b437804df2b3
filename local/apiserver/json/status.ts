import type { JsonObject } from './json-value.ts'

/** One cause in `status.details.causes`. */
export type Cause = { reason?: string; message?: string; field?: string }

/** A Kubernetes `Status` in its JSON form. */
export type Status = {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: JsonObject
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: { name?: string; group?: string; kind?: string; uid?: string; causes?: Cause[]; retryAfterSeconds?: number }
  code?: number
}

/** A failed `Status`. */
export function failedStatus(code: number, reason: string, message: string, details?: Status['details']): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }
  if (details) status.details = details
  return status
}

/** True for a `Status`, false for any other object. */
export function isStatus(value: object): value is Status {
  return 'kind' in value && value.kind === 'Status' && 'status' in value && 'code' in value
}

/** A cause of 422 that shows the value. */
export function invalidValue(field: string, value: unknown, why: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field }
}

/** A cause of 422 for a field that must not be set. */
export function forbiddenField(field: string, why: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field }
}

/** The cause of a missing field. */
export const required = (field: string, why?: string): Cause => ({
  reason: 'FieldValueRequired',
  message: why === undefined ? 'Required value' : `Required value: ${why}`,
  field,
})

/** A cause of 422 for a value that is not one of the supported ones. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): Cause {
  const values = supported.map((each) => JSON.stringify(each)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`
  return { reason: 'FieldValueNotSupported', message, field }
}
