import { findRefusedField, findUnknownField } from '#core/model-apis/request-fields.ts'
import { REQUEST_FIELD } from '#schemas/crds/model-route.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { Operation } from '../../contract/adapter.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import { toProviderRequest } from './model-request.ts'
import type { Body } from './model-request.ts'
import { toNativeRequest } from './native-messages.ts'

/** The parts of a request and its route that are checked. */
export interface CheckedRequest {
  readonly operation: Operation
  readonly body: Body
  readonly route: { readonly namespace: string; readonly name: string; readonly spec: ModelRouteSpec }
  /** The body is a request of Anthropic's Messages API, which is sent unchanged. */
  readonly native?: object | undefined
}

/**
 * For calls under a spending limit or guardrail rules: refuses fields that cost more than tokens or bypass the route, including defaults of the
 * route. Throws `GatewayError` with the field.
 */
export function refusePaidFields(request: CheckedRequest): void {
  const refused = findRefusedField(apiOf(request), toSent(request))
  if (refused === undefined) return
  const { field, detail } = refused
  throw refuse(field, `${detail} where money is counted or guardrails apply`)
}

/** For calls under a spending limit: also refuses fields that are neither documented nor allowed by the route. Throws `GatewayError`. */
export function refuseUncountedFields(request: CheckedRequest): void {
  refusePaidFields(request)
  const { namespace, name, spec } = request.route
  const allowed = [...(spec.allowedParams ?? []), ...Object.keys(spec.params?.extra ?? {})]
  const unknown = findUnknownField(apiOf(request), toSent(request), allowed)
  if (unknown === undefined) return
  const isName = REQUEST_FIELD.test(unknown)
  throw refuse(
    // A name in any other format may be content of the caller.
    isName ? unknown : 'body',
    isName
      ? `is not a known field of this API: where money is counted, it is sent only if allowedParams of the ModelRoute ${namespace}/${name} lists it`
      : 'has a field whose name is not a valid parameter name',
  )
}

function apiOf({ operation, native }: CheckedRequest) {
  return native === undefined ? operation : 'messages'
}

function toSent({ operation, body, route: { spec }, native }: CheckedRequest): Body {
  return native === undefined
    ? toProviderRequest({ operation, body, params: spec.params }, '')
    : toNativeRequest(body, spec, '')
}

function refuse(field: string, detail: string): GatewayError {
  return new GatewayError(400, 'unsupported_parameter', `${field}: ${detail}.`, { param: field })
}
