import { fileProblem } from '#core/config/describe-file-error.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { connectProblem } from '#core/net/connect-problem.ts'

// Class 08 (connection), 57P01-57P03 (shutdown, crash, startup), 53100 (disk full), 53300 (too many connections), and socket errors of
// Node.
const unreachable = /^(08\w{3}|57P0[123]|53[13]00|25P03|ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
const pgText =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/

// SQLSTATEs that retrying cannot fix: invalid authorization, invalid password, unknown database.
const refusing = /^(28000|28P01|3D000)$/

/** URL of a database and the setting that it comes from. */
export interface StoreAddress {
  readonly url: string
  /** `DATABASE_URL`, or a position in the settings file. */
  readonly setting?: string
}

/**
 * The server refuses the credentials, does not have the database, or presents an untrusted certificate. Waiting does not help. The message
 * names the setting and the host.
 */
export class StoreRefused extends Error {
  constructor(address: StoreAddress, text: string, cause: Error) {
    super(`${targetOf(address)}: ${text}`, { cause })
    this.name = 'StoreRefused'
  }
}

/** The server is not reachable now. The message names the setting, the host and the reason. */
export class StoreUnreachable extends Error {
  constructor(address: StoreAddress, text: string, cause: Error) {
    super(`${targetOf(address)} ${text}`, { cause })
    this.name = 'StoreUnreachable'
  }
}

/** Converts a connection error to one that names the setting of the server. */
export function toConnectFailure(address: StoreAddress, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = codeOf(error) ?? ''
  if (refusing.test(code)) return new StoreRefused(address, `${error.message} (${code})`, error)
  const problem = connectProblem(error)
  if (problem?.kind === 'tls') return new StoreRefused(address, problem.text, error)
  if (problem !== undefined) return new StoreUnreachable(address, problem.text, error)
  // The URL may name files, for example by `sslrootcert`.
  if ('path' in error) return new StoreRefused(address, `${String(error.path)}: ${fileProblem(error)}`, error)
  return error
}

/** Converts an error for startup and readiness: it names problem and place, where requests get a plain 503. */
export function toStartFailure(error: unknown): unknown {
  if (!(error instanceof Fail)) return error
  const { cause } = error
  if (cause instanceof StoreUnreachable) return new Fail('store_unavailable', cause.message, { cause })
  return cause instanceof StoreRefused ? cause : error
}

// Returns part of the URL only, since the rest may contain a password.
function targetOf({ url, setting = 'DATABASE_URL' }: StoreAddress): string {
  const { hostname = '', port = '', searchParams } = URL.parse(url) ?? {}
  const host = hostname === '' ? (searchParams?.get('host') ?? 'localhost') : hostname
  return `${setting}: ${host}:${port === '' ? '5432' : port}`
}

/** SQLSTATE or system error code of an error, if any. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Converts errors of an unreachable store to `Fail('store_unavailable')`; returns other errors unchanged. */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Fail) return error
  const code = codeOf(error)
  const text = error instanceof Error ? error.message : ''
  const aggregate = error instanceof AggregateError && error.errors.some((one) => unreachable.test(codeOf(one) ?? ''))
  const refused = error instanceof StoreRefused || error instanceof StoreUnreachable
  if ((code !== undefined && unreachable.test(code)) || pgText.test(text) || aggregate || refused) {
    return new Fail('store_unavailable', undefined, { cause: error })
  }
  return error
}

/**
 * Whether it is a deadlock (40P01), a serialization failure (40001) or a plan prepared before a migration, after which the transaction may be
 * retried.
 */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40P01' || code === '40001' || isStalePlan(error)
}

/** "cached plan must not change result type": a migration has changed a table under a prepared `select *`. Nothing was executed. */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000'
}
