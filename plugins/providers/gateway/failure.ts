import { describeReason, outboundReason } from '#core/http-client/outbound-error.ts'
import type { FailureReason } from './failure-reason.ts'
import { GatewayError } from './openai-error.ts'

/** The provider of a try, as messages name it. */
export interface NamedProvider {
  readonly namespace: string
  readonly name: string
  /** Host and port that it is called at; undefined while that is not known, and for providers without one. */
  readonly host?: string | undefined
}

const maxMessage = 1000

/** A provider, its key or its address cannot be used as they are configured. */
export function misconfigured(reason: FailureReason, message: string): GatewayError {
  return new GatewayError(502, 'provider_misconfigured', message, { reason })
}

/** What a connection failed with, in words of ours. */
export function fromConnection(provider: NamedProvider, error: unknown): GatewayError {
  const reason = outboundReason(error)
  const message = `${nameOf(provider)}: ${describeReason(reason)}`
  if (reason === 'timeout') return new GatewayError(504, 'provider_timeout', message, { reason })
  if (reason === 'address_refused' || reason === 'https_required') return misconfigured(reason, message)
  return new GatewayError(502, 'bad_gateway', message, { reason })
}

/** An answer that ended before it was complete. */
export function brokenOff(provider: NamedProvider): GatewayError {
  return new GatewayError(502, 'bad_gateway', `${nameOf(provider)}: the answer broke off.`, { reason: 'broke_off' })
}

/** An error that the provider answered with. */
export interface ErrorAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Buffer
}

/** A provider quotes the key in its 401 and names its insides in a 5xx: only what the client can act on is relayed. */
export function fromAnswer(provider: NamedProvider, { status, retryAfter, body }: ErrorAnswer): GatewayError {
  const named = nameOf(provider)
  if (status === 429)
    return new GatewayError(429, 'rate_limit_exceeded', `${named} is overloaded (429).`, {
      reason: 'overloaded',
      headers: { 'retry-after': retryAfter ?? '1' },
    })
  if (status === 401 || status === 403)
    return new GatewayError(502, 'provider_refused_key', `${named} refused the key of this route (${status}).`, {
      reason: 'key_refused',
    })
  if (status === 408 || status === 504)
    return new GatewayError(504, 'provider_timeout', `${named}: timed out (${status}).`, { reason: 'timeout' })
  if (status >= 400 && status < 500)
    return new GatewayError(status === 404 ? 400 : status, 'provider_refused', messageIn(named, status, body), {
      reason: 'request_refused',
    })
  return new GatewayError(502, 'bad_gateway', `${named} failed (${status}).`, { reason: 'provider_error' })
}

/** `Provider default/oa (127.0.0.1:9)`. */
export function nameOf({ namespace, name, host }: NamedProvider): string {
  return `Provider ${namespace}/${name}${host === undefined ? '' : ` (${host})`}`
}

function messageIn(named: string, status: number, body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message.slice(0, maxMessage)
  } catch {
    // Not an OpenAI error: its text is not relayed.
  }
  return `${named} refused the request (${status}).`
}
