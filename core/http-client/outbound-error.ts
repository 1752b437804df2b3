/** Why an outbound call failed: a closed list, safe for messages, conditions and metric labels. */
export type OutboundReason =
  | 'address_refused'
  | 'https_required'
  | 'invalid_url'
  | 'name_not_found'
  | 'connection_refused'
  | 'connection_lost'
  | 'unreachable'
  | 'tls_error'
  | 'timeout'
  | 'redirect_refused'
  | 'too_large'
  | 'failed'

/** Thrown by the guard and by `Outbound.request`. The message contains host and rule, never an upstream text or a header. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  constructor(reason: OutboundReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const texts: Readonly<Record<OutboundReason, string>> = {
  address_refused: 'the address is refused (setting outbound.allow)',
  https_required: 'https is required (setting outbound.allow)',
  invalid_url: 'not an http(s) URL without credentials',
  name_not_found: 'the host name does not resolve',
  connection_refused: 'connection refused',
  connection_lost: 'connection lost',
  unreachable: 'no route to the host',
  tls_error: 'TLS handshake failed',
  timeout: 'timed out',
  redirect_refused: 'the redirect is refused',
  too_large: 'the response is too large',
  failed: 'the call failed',
}

const codes: Readonly<Record<string, OutboundReason>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CLOSED: 'connection_lost',
  UND_ERR_DESTROYED: 'connection_lost',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EPROTO: 'tls_error',
}

// OpenSSL's verification results as Node.js names them (node:tls, X509 certificate error codes).
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/

/** Classifies errors of sockets, TLS, undici and the guard; `failed` for any other. */
export function outboundReason(error: unknown): OutboundReason {
  if (error instanceof OutboundError) return error.reason
  const code = codeOf(error)
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'timeout'
  return codes[code] ?? (tlsCode.test(code) ? 'tls_error' : 'failed')
}

/** Text for a reason, used at the end of messages. */
export function describeReason(reason: OutboundReason): string {
  return texts[reason]
}

// A connection tried at several addresses fails with an AggregateError that has the code of the first error.
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && code !== '') return code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}
