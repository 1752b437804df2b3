import type { Span } from '#core/telemetry/tracer.ts'
import { Refusal } from './http/refusal.ts'

/** Ends the span with the work of an operation: `error` with the code of a refusal if it throws. */
export async function inSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work()
    span.end('ok')
    return result
  } catch (error) {
    span.end('error', { 'error.type': error instanceof Refusal ? error.code : 'internal_error' })
    throw error
  }
}
