import { Fail } from '#core/http/errors.ts'

// Class 08 (connection), 57P01-57P03 (shut down, crashed, starting), 53100 (disk full), 53300 (too many connections), and what Node says of sockets.
const unreachable = /^(08\w{3}|57P0[123]|53[13]00|25P03|ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
const pgText =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/

// Invalid authorization, invalid password, no such database: the server is there and will not have us as we are.
const refusing = /^(28000|28P01|3D000)$/

/** The server refuses the credentials or has no such database: nothing that waiting mends. The message names the setting and the host. */
export class StoreRefused extends Error {
  constructor(url: string, cause: Error) {
    super(`DATABASE_URL: ${hostOf(url)}: ${cause.message} (${codeOf(cause)})`, { cause })
    this.name = 'StoreRefused'
  }
}

/** An error of connecting to a URL; what the server refuses becomes `StoreRefused`. */
export function toConnectFailure(url: string, error: unknown): unknown {
  return error instanceof Error && refusing.test(codeOf(error) ?? '') ? new StoreRefused(url, error) : error
}

/** What a start is to end with: the refusal itself instead of the 503 that requests get for it. */
export function toStartFailure(error: unknown): unknown {
  return error instanceof Fail && error.cause instanceof StoreRefused ? error.cause : error
}

// Never the whole URL: it may hold a password.
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server'
}

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
  const refused = error instanceof StoreRefused
  if ((code !== undefined && unreachable.test(code)) || pgText.test(text) || aggregate || refused) {
    return new Fail('store_unavailable', undefined, { cause: error })
  }
  return error
}

/** True for a deadlock (40P01) and a serialization failure (40001): the whole transaction may be run again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40P01' || code === '40001'
}
