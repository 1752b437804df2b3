import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import { createOtlpExporter, sizeOfSpan } from '#core/otlp/otlp-span-exporter.ts'
import { genAi } from '#core/otlp/gen-ai.ts'
import type { OtlpAttributes, OtlpSpan, SpanOrigin } from '#core/otlp/span.ts'
import { createSpanEncoder, joinSpans } from '#core/otlp/write-json.ts'
import type { EncodedSpan } from '#core/otlp/write-json.ts'
import type { ReadContent } from '#core/telemetry/span-content.ts'
import { createSpanQueue } from '#core/telemetry/span-queue.ts'
import type { SpanQueue, SpanQueueOptions } from '#core/telemetry/span-queue.ts'
import type { Settings } from '../contract/settings/settings.ts'
import { sendSpans } from '#plugins/traces/contract/wire.ts'
import { callState } from '../contract/state/call-state.ts'
import { createStateClient } from '../contract/state/state-client.ts'
import { createContentQueue } from './content-queue.ts'
import { createTraceFilter } from './trace-policy.ts'

/** Where spans of the agent go, within its trace policy. Best effort: nothing waits for it (H4). */
export interface SpanExport {
  add(origin: SpanOrigin, spans: readonly OtlpSpan[]): void
  /** Adds a span once its content is read, bounded and redacted. Above a limit of waiting spans its content is left out. */
  addWithContent(origin: SpanOrigin, span: OtlpSpan, read: ReadContent): void
  /** Number of spans dropped so far, by each destination. */
  dropped(): number
  /** Sends what is queued. */
  close(): Promise<void>
}

/** Dependencies of the export. Each destination has a queue of at most `maxSpans` and receives batches of at most `maxBatch`. */
export interface SpanExportParts {
  readonly dispatcher: () => Promise<Dispatcher>
  readonly log: Logger
  readonly maxSpans?: number
  readonly maxBatch?: number
  /** Receives the number of spans that did not reach a destination. */
  readonly onDropped: (spans: number) => void
}

type ExportSettings = Pick<Settings, 'traces' | 'otlpEndpoint' | 'otlpHeaders' | 'stateUrl' | 'stateTokenFile'>

/** Creates the export to the OTLP backend and to the store, each with its own queue; undefined without a destination. */
export function createSpanExport(settings: ExportSettings, parts: SpanExportParts): SpanExport | undefined {
  const { otlpEndpoint: endpoint, otlpHeaders: headers, traces } = settings
  const count = { exported: () => undefined, dropped: parts.onDropped }
  const backend = endpoint === undefined ? undefined : createOtlpExporter({ endpoint, headers, ...parts, count })
  const store =
    traces.store && settings.stateUrl !== undefined
      ? createStoreExporter(settings.stateUrl, settings, { ...parts, count })
      : undefined
  const queues = [backend, store].filter((queue) => queue !== undefined)
  if (queues.length === 0) return undefined
  const filter = createTraceFilter(traces)
  const encode = createSpanEncoder()
  const origins = new WeakMap<SpanOrigin, SpanOrigin>()
  const originOf = (origin: SpanOrigin): SpanOrigin => {
    const known = origins.get(origin)
    if (known !== undefined) return known
    const filtered = filter.origin(origin)
    origins.set(origin, filtered)
    return filtered
  }
  const send = (origin: SpanOrigin, kept: OtlpSpan): void => {
    const encoded = encode(originOf(origin), kept)
    for (const queue of queues) queue.add(encoded)
  }
  const sendWith = (origin: SpanOrigin, kept: OtlpSpan, content: OtlpAttributes): void => {
    const whole = encode(originOf(origin), { ...kept, attributes: { ...kept.attributes, ...content } })
    store?.add(whole)
    backend?.add(traces.exportContent ? whole : encode(originOf(origin), kept))
  }
  const waiting = createContentQueue(traces.redact)
  return {
    add(origin, spans) {
      for (const span of spans) {
        const kept = filter.span(span)
        if (kept !== undefined) send(origin, kept)
      }
    },
    addWithContent(origin, span, read) {
      const kept = filter.span(span)
      if (kept === undefined) return
      if (traces.capture !== 'full') return send(origin, kept)
      waiting.add(read, (content) => {
        sendWith(origin, kept, content ?? { [genAi.isContentCut]: true })
      })
    },
    dropped: () => queues.reduce((sum, queue) => sum + queue.dropped(), 0),
    close: async () => {
      await waiting.close()
      await Promise.all(queues.map((queue) => queue.close()))
    },
  }
}

function createStoreExporter(
  stateUrl: string,
  { stateTokenFile: tokenFile }: ExportSettings,
  { dispatcher, ...parts }: SpanExportParts & Pick<SpanQueueOptions<EncodedSpan>, 'count'>,
): SpanQueue<EncodedSpan> {
  const state = createStateClient({ stateUrl, tokenFile, dispatcher })
  return createSpanQueue({
    ...parts,
    sizeOf: sizeOfSpan,
    send: async (batch: readonly EncodedSpan[]) => {
      const { status, value } = await callState(state, sendSpans, { json: joinSpans(batch) })
      if (value === undefined) throw new Error(`the state role responded with ${status}`)
      const { rejected } = value
      if (rejected > 0) parts.log.warn({ rejected }, 'spans not stored')
    },
  })
}
