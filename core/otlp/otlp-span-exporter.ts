import { postOtlp } from '#core/telemetry/otlp-post.ts'
import type { Collector } from '#core/telemetry/otlp-post.ts'
import { createSpanQueue } from '#core/telemetry/span-queue.ts'
import type { SpanQueue, SpanQueueOptions } from '#core/telemetry/span-queue.ts'
import { joinSpans } from './write-json.ts'
import type { EncodedSpan } from './write-json.ts'

/** Destination of spans. */
export interface OtlpOptions extends Collector, Omit<SpanQueueOptions<EncodedSpan>, 'send' | 'sizeOf'> {}

/** Exports spans as JSON over HTTP without the SDK of OpenTelemetry, for launchers: they are small and start often. */
export function createOtlpExporter(options: OtlpOptions): SpanQueue<EncodedSpan> {
  const send = async (batch: readonly EncodedSpan[]): Promise<void> => {
    const status = await postOtlp(options, '/v1/traces', joinSpans(batch))
    if (status >= 300) throw new Error(`status ${status}`)
  }
  return createSpanQueue({ ...options, sizeOf: sizeOfSpan, send })
}

/** More than the resource and the scope of an SDK have as JSON. */
const usualShared = 2_048

/**
 * Memory of an encoded span in bytes: JSON is mostly ASCII. Resource and scope, which spans share, are counted above the usual size: each of
 * many small spans may have its own resource of megabytes.
 */
export function sizeOfSpan({ span, resource, scope }: EncodedSpan): number {
  return span.length + Math.max(resource.length + scope.length - usualShared, 0)
}
