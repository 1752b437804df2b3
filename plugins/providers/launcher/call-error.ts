import type { CallError } from '#core/model-apis/error-forms.ts'
import { Refusal, refusals } from '#launcher/contract/http/refusal.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'

/** Status, code and message of a failed call. Any other error is internal. */
export function toCallError(error: unknown): CallError {
  if (error instanceof GatewayRefusal) return error
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error')
  const { code, message, headers } = refusal
  return { status: refusals[code].status, code, message, param: null, headers }
}
