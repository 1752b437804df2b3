import type { ReadContent } from '#core/telemetry/span-content.ts'
import type { Span } from '#core/telemetry/tracer.ts'
import { Refusal } from './http/refusal.ts'

/** Runs an operation and ends its span; if it throws, the span's status is `error` with the code of the refusal. */
export async function inSpan<T>(span: Span, work: () => Promise<T>, content?: ReadContent): Promise<T> {
  try {
    const result = await work()
    span.end('ok', {}, content)
    return result
  } catch (error) {
    span.end('error', { 'error.type': error instanceof Refusal ? error.code : 'internal_error' }, content)
    throw error
  }
}
