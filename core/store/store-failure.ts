import { Fail } from '#core/http/errors.ts'

// Class 08 (connection), 57P01-57P03 (shut down, crashed, starting), 53300 (too many connections), and what Node says of sockets.
const unreachable = /^(08\w{3}|57P0[123]|53300|25P03|ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
const pgText =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/

/** The SQLSTATE or system error code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** An error that says the store is not reachable becomes `Fail('store_unavailable')`; every other error is returned as it is. */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Fail) return error
  const code = codeOf(error)
  const text = error instanceof Error ? error.message : ''
  const aggregate = error instanceof AggregateError && error.errors.some((one) => unreachable.test(codeOf(one) ?? ''))
  if ((code !== undefined && unreachable.test(code)) || pgText.test(text) || aggregate) {
    return new Fail('store_unavailable', undefined, { cause: error })
  }
  return error
}

/** True for a deadlock (40P01) and a serialization failure (40001): the whole transaction may be run again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40P01' || code === '40001'
}
