import { toExport } from './otlp-json.ts'
import type { SpanSource } from './otlp-json.ts'
import { postOtlp } from './otlp-post.ts'
import type { Collector } from './otlp-post.ts'
import { createSpanQueue } from './span-queue.ts'
import type { SpanQueue, SpanQueueOptions } from './span-queue.ts'

/** Destination of spans. */
export interface OtlpOptions extends Collector, SpanSource, Omit<SpanQueueOptions, 'send'> {}

/** Exports spans as JSON over HTTP without the SDK of OpenTelemetry, for launchers: they are small and start often. */
export function createOtlpExporter(options: OtlpOptions): SpanQueue {
  const send: SpanQueueOptions['send'] = async (batch) => {
    const status = await postOtlp(options, '/v1/traces', toExport(options, batch))
    if (status >= 300) throw new Error(`status ${status}`)
  }
  return createSpanQueue({ ...options, send })
}
