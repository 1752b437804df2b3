import type { Span } from '#core/telemetry/tracer.ts'
import { Refusal } from './http/refusal.ts'

/** Runs an operation and ends its span; if it throws, the span's status is `error` with the code of the refusal. */
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
