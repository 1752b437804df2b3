import { asObject } from '#core/json/is-object.ts'
import { checkNativeInput, checkNativeMessages, readBetas } from '#plugins/providers/model-apis/native-messages.ts'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import type { Body } from './model-request.ts'

/** Data of a Messages API request besides its body. */
export interface NativeMessages {
  readonly betas: string | undefined
}

/** Refuses fields that the gateway does not pass on. Throws `GatewayError` with the field. */
export function readNativeMessages(body: Body, beta: string | undefined): NativeMessages {
  return validated(checkNativeMessages, body, beta)
}

/** As `readNativeMessages`, for a request that counts tokens. */
export function readNativeCount(body: Body, beta: string | undefined): NativeMessages {
  return validated(checkNativeInput, body, beta)
}

function validated(check: (body: Body) => void, body: Body, beta: string | undefined): NativeMessages {
  try {
    check(body)
    return { betas: readBetas(beta) }
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    throw new GatewayError(400, 'invalid_body', `${error.message}.`, { param: error.field })
  }
}

/** The request to a provider: as the caller sent it, with the provider's own model id and the defaults of the route that exist in the API. */
export function toNativeRequest(body: Body, { params = {} }: Pick<ModelRouteSpec, 'params'>, model: string): Body {
  const { temperature, topP, stop, extra } = params
  // Thinking excludes other temperatures.
  const sampling = asObject(body.thinking).type === undefined ? { temperature, top_p: topP } : {}
  const defaults = Object.entries({ ...extra, ...sampling, stop_sequences: stop })
  return { ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)), ...body, model }
}
