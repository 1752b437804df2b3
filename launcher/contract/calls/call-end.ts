import { Refusal, refusals } from '../http/refusal.ts'
import { GatewayRefusal } from './gateway-refusal.ts'
import type { CallEnd } from './recorder.ts'

/** How a failed call is recorded. */
export function toCallEnd(error: unknown, signal: AbortSignal): CallEnd {
  if (signal.aborted) return { kind: 'aborted' }
  if (error instanceof GatewayRefusal) {
    const { status, code, message } = error
    return { kind: 'error', status, code, message }
  }
  const { code, message } = error instanceof Refusal ? error : new Refusal('internal_error')
  return { kind: 'error', status: refusals[code].status, code, message }
}
