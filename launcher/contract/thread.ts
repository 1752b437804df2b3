import type { MessagePort } from 'node:worker_threads'
import type { Logger } from '#core/log/logger.ts'
import type { OtlpSpan, SpanOrigin } from '#core/otlp/span.ts'
import type { ServedPort } from './http/port.ts'
import type { RefusalCode } from './http/refusal.ts'
import type { Level, Settings } from './settings/settings.ts'

/** Program of a thread of the launcher. The whole launcher is one file; without a bundle the thread has the entry point of the launcher. */
export const threadEntry = import.meta.url.endsWith('.ts')
  ? new URL('../main.ts', import.meta.url)
  : new URL(import.meta.url)

/** Data that a plugin passes to its thread. */
export interface ThreadData {
  /** Plugin whose folder `launcher` has the module `thread.ts`. */
  readonly plugin: string
  /** Values that a structured clone can copy. */
  readonly settings: unknown
}

/** Entry point of a plugin's thread, which serves until its port is closed. */
export type RunThread = (settings: unknown, port: MessagePort, shell: ThreadShell) => Promise<void>

/** A port that a thread serves. */
export interface ThreadPort {
  readonly port: number
  drain(): void
  close(): Promise<void>
}

/** Where spans go, within the trace policy of the agent. */
export interface SpanSink {
  add(origin: SpanOrigin, spans: readonly OtlpSpan[]): void
  /** Sends what is queued. */
  close(): Promise<void>
}

/** Destinations of spans. */
export type SpanTargets = Pick<Settings, 'otlpEndpoint' | 'otlpHeaders' | 'stateUrl' | 'stateTokenFile'> & {
  /** Configuration that the plugin `traces` wrote. */
  readonly traces: unknown
}

/** Parts of the launcher that a thread may use. */
export interface ThreadShell {
  log(level: Level, bindings: object): Logger
  /** Opens a port on loopback; nothing is logged about it. */
  listen(
    served: ServedPort,
    options: {
      readonly number: number
      readonly log: Logger
      readonly onRefusal: (listener: string, code: RefusalCode) => void
    },
  ): Promise<ThreadPort>
  /** Sends spans, each destination with a queue of `maxSpans` and batches of `maxBatch`; undefined without a destination. */
  spans(
    targets: SpanTargets,
    parts: {
      readonly log: Logger
      readonly maxSpans: number
      readonly maxBatch: number
      readonly onDropped: (spans: number) => void
    },
  ): SpanSink | undefined
  /** Closes outgoing connections. */
  close(): Promise<void>
}
