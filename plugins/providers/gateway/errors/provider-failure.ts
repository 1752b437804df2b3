import { describeReason, outboundReason } from '#core/http-client/outbound-error.ts'
import { asObject, isObject } from '#core/json/is-object.ts'
import { errorDocument, refusesKey } from '../../upstream/error-document.ts'
import type { FailureReason } from './failure-reason.ts'
import { GatewayError } from './gateway-error.ts'

/** The provider of an attempt, as named in messages. */
export interface NamedProvider {
  readonly namespace: string
  readonly name: string
  /** Host and port; undefined before they are known, and for providers without an address. */
  readonly host?: string | undefined
}

const maxMessage = 1000

/** Error for a configured provider, key or address that is not usable. */
export function misconfigured(reason: FailureReason, message: string): GatewayError {
  return new GatewayError(502, 'provider_misconfigured', message, { reason })
}

/** Error for a failed connection, with a message of the gateway. */
export function fromConnection(provider: NamedProvider, error: unknown): GatewayError {
  const reason = outboundReason(error)
  const message = `${nameOfProvider(provider)}: ${describeReason(reason)}`
  if (reason === 'timeout') return new GatewayError(504, 'provider_timeout', message, { reason })
  if (reason === 'address_refused' || reason === 'https_required') return misconfigured(reason, message)
  return new GatewayError(502, 'bad_gateway', message, { reason })
}

/** Error for an incomplete response. */
export function incompleteResponse(provider: NamedProvider): GatewayError {
  return new GatewayError(502, 'bad_gateway', `${nameOfProvider(provider)}: the response broke off.`, {
    reason: 'broke_off',
  })
}

/** Error for a successful response that is no JSON object, such as a page of a proxy. */
export function noJsonResponse(provider: NamedProvider): GatewayError {
  const message = `${nameOfProvider(provider)}: the response is not a JSON object.`
  return new GatewayError(502, 'bad_gateway', message, { reason: 'unreadable' })
}

/** Error for a call whose targets have all failed before, so that none is called. */
export function circuitsOpen(waitMs: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `Every target of the route has failed repeatedly. One is tried again in ${seconds} s.`
  const headers = { 'retry-after': String(seconds) }
  return new GatewayError(503, 'circuit_open', message, { reason: 'circuit_open', headers })
}

/** An error response of the provider. */
export interface ErrorResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Buffer
  /** Whether the call had a key. */
  readonly hasKey: boolean
}

/** Providers may quote the key in a 401 and internals in a 5xx. Only errors that the client can act on are relayed. */
export function fromResponse(
  provider: NamedProvider,
  { status, retryAfter, body, hasKey }: ErrorResponse,
): GatewayError {
  const named = nameOfProvider(provider)
  if (status === 429)
    return new GatewayError(429, 'rate_limit_exceeded', `${named} is overloaded (429).`, {
      reason: 'overloaded',
      upstream: status,
      headers: { 'retry-after': retryAfter ?? '1' },
    })
  if (refusesKey(status, body))
    return new GatewayError(502, 'provider_refused_key', `${named} ${keyRefusal(hasKey, status)}`, {
      reason: 'key_refused',
      upstream: status,
    })
  if (status === 408 || status === 504)
    return new GatewayError(504, 'provider_timeout', `${named}: timed out (${status}).`, {
      reason: 'timeout',
      upstream: status,
    })
  if (status >= 400 && status < 500)
    return new GatewayError(status === 404 ? 400 : status, 'provider_refused', requestRefusal(named, status, body), {
      reason: 'request_refused',
      upstream: status,
    })
  return new GatewayError(502, 'bad_gateway', `${named} failed (${status}).`, {
    reason: 'provider_error',
    upstream: status,
  })
}

/** `Provider default/oa (127.0.0.1:9)`. */
export function nameOfProvider({ namespace, name, host }: NamedProvider): string {
  return `Provider ${namespace}/${name}${host === undefined ? '' : ` (${host})`}`
}

function keyRefusal(hasKey: boolean, status: number): string {
  if (hasKey) return `refused the key of this route (${status}): put a key that it accepts into its Secret.`
  return `refused a call without a key (${status}): the ModelProvider has no secretRef.`
}

function requestRefusal(named: string, status: number, body: Buffer): string {
  const message = messageIn(body)
  const refused = `${named} refused the request (${status})`
  return message === undefined ? `${refused}.` : `${refused}: ${message.slice(0, maxMessage)}`
}

/**
 * The message of an error of OpenAI's API: also of the older format without `error`, which FastChat and vLLM send, and in a list, as Gemini's endpoint
 * sends it. Other bodies are not relayed.
 */
function messageIn(body: Buffer): string | undefined {
  const { error, message } = asObject(errorDocument(body))
  const given = isObject(error) ? error.message : message
  return typeof given === 'string' && given !== '' ? given : undefined
}
