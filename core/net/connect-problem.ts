/** Why a connection attempt failed. Waiting does not resolve a failure of kind `tls`. */
export interface ConnectProblem {
  readonly kind: 'unreachable' | 'tls'
  /** Text that follows host and port, such as `refused the connection`. */
  readonly text: string
}

const unreachable: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refused the connection'],
  ['ENOTFOUND', 'was not found (no such host)'],
  ['EAI_AGAIN', 'cannot be resolved at the moment (DNS)'],
  ['ETIMEDOUT', 'does not respond (timeout)'],
  ['EHOSTUNREACH', 'cannot be routed to (host)'],
  ['ENETUNREACH', 'cannot be routed to (network)'],
  ['ECONNRESET', 'closed the connection'],
  ['EPIPE', 'closed the connection'],
])

// TLS error codes of Node: an unknown authority, a certificate for another name or time, or a peer without TLS.
const tlsCode = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH$)/
// Messages of pg and NATS that have no code.
const texts: readonly (readonly [RegExp, ConnectProblem])[] = [
  [
    /^(?:Connection terminated due to connection timeout|timeout)$/,
    { kind: 'unreachable', text: 'does not respond (timeout)' },
  ],
  [/^timeout exceeded when trying to connect$/, { kind: 'unreachable', text: 'gave no connection in time' }],
  [/^Connection terminated/, { kind: 'unreachable', text: 'closed the connection' }],
  [/^connection refused$/, { kind: 'unreachable', text: 'refused the connection' }],
  [/^unexpected response from server$/, { kind: 'unreachable', text: 'is not a NATS server' }],
  [/SSL connection|does not support SSL/, { kind: 'tls', text: 'does not offer TLS' }],
]

/** Classifies a failed connection attempt; undefined for any other error. The text never includes what the server sent. */
export function connectProblem(error: unknown): ConnectProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = unreachable.get(code)
  if (known !== undefined) return { kind: 'unreachable', text: known }
  if (tlsCode.test(code)) return { kind: 'tls', text: `TLS failed (${code})` }
  const [, found] = texts.find(([pattern]) => pattern.test(error.message)) ?? []
  // All addresses of the name failed; their errors are alike.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return found ?? connectProblem(inner)
}
