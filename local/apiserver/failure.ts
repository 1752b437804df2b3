import type { Status } from './contract.ts'

/** A failed `Status`, as the wire shows it. */
export function failure(code: number, reason: string, message: string, details?: Status['details']): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }
  if (details) status.details = details
  return status
}

/** True for a `Status`, false for any other object. */
export function isStatus(value: object): value is Status {
  return 'kind' in value && value.kind === 'Status' && 'status' in value && 'code' in value
}
