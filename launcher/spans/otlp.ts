import type { Dispatcher } from 'undici'
import { collect } from '#core/sse/exchange.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Attributes, EndedSpan } from './tracer.ts'

/** Where spans go. */
export interface OtlpOptions {
  /** Base of `OTEL_EXPORTER_OTLP_ENDPOINT`; `/v1/traces` is added (OTLP/HTTP, JSON encoding). */
  readonly endpoint: string
  readonly resource: Attributes
  readonly dispatcher: () => Promise<Dispatcher>
  readonly log: Logger
  readonly flushEveryMs?: number
}

/** Exports spans best effort (H4): nothing waits for it, a full queue or a failed post drops spans and counts them. */
export interface OtlpExporter {
  add(span: EndedSpan): void
  /** Sends what is queued; resolves when that has been tried. */
  flush(): Promise<void>
  /** Spans that were lost so far. */
  dropped(): number
  close(): Promise<void>
}

const maxQueue = 2048
const maxBatch = 512
const postTimeoutMs = 5000

/** Starts the exporter; its timer keeps no process alive. */
export function createOtlpExporter(options: OtlpOptions): OtlpExporter {
  let queue: EndedSpan[] = []
  let dropped = 0
  let sending: Promise<void> | undefined
  const post = async (batch: readonly EndedSpan[]): Promise<void> => {
    try {
      await send(options, batch)
    } catch (error) {
      dropped += batch.length
      options.log.warn({ dropped, err: String(error) }, 'spans dropped: the trace backend did not take them')
    }
  }
  const drain = async (): Promise<void> => {
    // Only what is queued now: with the collector down, spans that arrive meanwhile must not keep a drain going.
    for (let left = queue.length; left > 0; left -= maxBatch) {
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(batch.length)
      await post(batch)
    }
  }
  const flush = (): Promise<void> => {
    sending ??= drain().finally(() => (sending = undefined))
    return sending
  }
  const timer = setInterval(() => void flush(), options.flushEveryMs ?? 1000).unref()
  return {
    add(span) {
      if (queue.length >= maxQueue) dropped++
      else queue.push(span)
    },
    flush,
    dropped: () => dropped,
    close: async () => {
      clearInterval(timer)
      await flush()
      await flush()
    },
  }
}

async function send(options: OtlpOptions, batch: readonly EndedSpan[]): Promise<void> {
  if (batch.length === 0) return
  const url = new URL(`${options.endpoint}/v1/traces`)
  const { status } = await collect(await options.dispatcher(), {
    origin: url.origin,
    path: url.pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toExport(options.resource, batch)),
    signal: AbortSignal.timeout(postTimeoutMs),
    maxBytes: 64 * 1024,
  })
  if (status >= 300) throw new Error(`status ${status}`)
}

function toExport(resource: Attributes, batch: readonly EndedSpan[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'mesh.launcher' }, spans: batch.map(toSpan) }],
      },
    ],
  }
}

function toSpan(span: EndedSpan) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: String(span.startedAt),
    endTimeUnixNano: String(span.endedAt),
    attributes: toAttributes(span.attributes),
    status: { code: span.status === 'ok' ? 1 : 2 },
  }
}

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
