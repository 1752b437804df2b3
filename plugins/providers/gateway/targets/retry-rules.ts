import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { FailureReason } from '../errors/failure-reason.ts'
import type { GatewayError } from '../errors/gateway-error.ts'

/** Whether another attempt follows a failure. */
export type MayRetry = (failure: GatewayError) => boolean

const usual: NonNullable<ModelRouteSpec['retryOn']> = [408, 409, 429, '5xx', 'timeout']

// The request did not reach a model there.
const unusable: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'provider_missing',
  'not_allowed',
  'secret_missing',
  'secret_not_labelled',
  'origin_mismatch',
  'key_unusable',
  'no_adapter',
  'key_refused',
  'address_refused',
  'https_required',
  'invalid_url',
  'name_not_found',
  'connection_refused',
  'unreachable',
  'tls_error',
])

/** The rules of a route. */
export function retryRulesOf({ retryOn = usual }: Pick<ModelRouteSpec, 'retryOn'>): MayRetry {
  const wanted = new Set(retryOn)
  return ({ reason, upstream }) => {
    if (unusable.has(reason)) return true
    if (upstream === undefined)
      return reason !== 'request_refused' && wanted.has(reason === 'timeout' ? 'timeout' : '5xx')
    // Redirects are never followed: the provider cannot be used.
    return upstream < 400 || wanted.has(upstream) || (upstream >= 500 && wanted.has('5xx'))
  }
}

/** Whether a failure says something about its target, and not about the request alone. */
export function isOfTarget({ reason }: GatewayError): boolean {
  return reason !== 'request_refused'
}
