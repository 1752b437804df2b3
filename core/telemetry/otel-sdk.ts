import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { HrTime, SpanContext } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import { AlwaysOffSampler, AlwaysOnSampler, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import type { ReadableSpan, Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import type { TraceExport } from './trace-export.ts'
import type { Attributes, EndedSpan, Sample } from './tracer.ts'
import type { Trace } from './traceparent.ts'

/** Exporter and sampler of the OpenTelemetry SDK. Importing the SDK costs 200 to 250 ms and 43 MB, so it is imported only when spans are exported. */
export interface OtelSdk {
  readonly sample: Sample
  /** Sends a batch. Rejects when the collector does not accept it. */
  send(batch: readonly EndedSpan[]): Promise<void>
  close(): Promise<void>
}

/** Creates both. `resource` are the attributes of the process. */
export async function createOtelSdk(options: TraceExport, resource: Attributes, scope: string): Promise<OtelSdk> {
  const exporter = await createExporter(options)
  const about = {
    resource: defaultResource().merge(resourceFromAttributes({ ...resource, ...options.resource })),
    instrumentationScope: { name: scope },
  }
  return {
    sample: createSample(options),
    send: (batch) =>
      new Promise((resolve, reject) => {
        const spans = batch.map((span) => toReadable(span, about))
        // The SDK's enum is in its own package: 0 is success. Its error may contain text from the collector.
        exporter.export(spans, ({ code }) => {
          const outcome: number = code
          if (outcome === 0) resolve()
          else reject(new Error('export failed'))
        })
      }),
    close: () => exporter.shutdown(),
  }
}

async function createExporter({ protocol, url }: TraceExport): Promise<SpanExporter> {
  if (protocol === 'grpc') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc')
    return new OTLPTraceExporter({ url })
  }
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
    return new OTLPTraceExporter({ url })
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter({ url })
}

/**
 * The decision depends on the trace id, so that every process makes the same one. The stored context of a run has no flag of its root. A
 * parent-based sampler also follows a parent that is not sampled.
 */
function createSample({ sampler, ratio }: TraceExport): Sample {
  const root = toSampler(sampler.replace(/^parentbased_/, ''), ratio)
  const followsParent = sampler.startsWith('parentbased_')
  return (traceId, parent) => {
    if (followsParent && parent?.sampled === false) return false
    const { decision } = root.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}

function toSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
}

function toSpanContext({ traceId, spanId, sampled }: Trace): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE }
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

function toReadable(
  span: EndedSpan,
  about: { readonly resource: Resource; readonly instrumentationScope: { readonly name: string } },
): ReadableSpan {
  const { traceId, parentSpanId } = span
  const context = toSpanContext(span)
  return {
    ...about,
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: toSpanContext({ traceId, spanId: parentSpanId, sampled: span.sampled }) }),
    startTime: toHrTime(span.startedAt),
    endTime: toHrTime(span.endedAt),
    duration: toHrTime(span.endedAt - span.startedAt),
    status: { code: span.status === 'ok' ? SpanStatusCode.OK : SpanStatusCode.ERROR },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const NANOS = 1_000_000_000n

function toHrTime(nanos: bigint): HrTime {
  return [Number(nanos / NANOS), Number(nanos % NANOS)]
}
