import { GatewayError } from '../../gateway/errors/gateway-error.ts'

/** Error for a response in a format that filters cannot read. Passing it would bypass them. */
export function unreadableResponse(): GatewayError {
  return new GatewayError(502, 'bad_gateway', 'The response of the provider has a format that its filters cannot read.')
}

/** Error for a response whose part held back for filters exceeds the limit of the setting. */
export function heldTooMuch(limit: number): GatewayError {
  const message = `More than ${limit} characters of the response are held back for filters (providers.filterLimit).`
  return new GatewayError(502, 'bad_gateway', message)
}
