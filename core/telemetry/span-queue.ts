import type { Logger } from '#core/log/logger.ts'
import type { EndedSpan } from './tracer.ts'

/** How spans are sent, and what is reported about it. */
export interface SpanQueueOptions {
  /** Sends a batch. Rejects when the collector does not accept it; the message of the error is logged. */
  readonly send: (batch: readonly EndedSpan[]) => Promise<void>
  readonly log: Logger
  /** Receives the numbers of exported and dropped spans. */
  readonly count?: { exported(spans: number): void; dropped(spans: number): void }
  readonly flushEveryMs?: number
}

/** Exports spans, best effort (H4). Nothing waits for it; a full queue or a failed post drops spans and counts them. */
export interface SpanQueue {
  add(span: EndedSpan): void
  /** Sends the queued spans. Resolves after the attempt. */
  flush(): Promise<void>
  /** Number of spans dropped so far. */
  dropped(): number
  close(): Promise<void>
}

const maxQueue = 2048
const maxBatch = 512
// Logs the first failure and every sixtieth after it: a collector that is down for days must not fill the log.
const failuresPerLine = 60

/** Starts the queue. The timer does not keep the process alive. */
export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  let queue: EndedSpan[] = []
  let dropped = 0
  let failures = 0
  let sending: Promise<void> | undefined
  const drop = (spans: number): void => {
    dropped += spans
    options.count?.dropped(spans)
  }
  const post = async (batch: readonly EndedSpan[]): Promise<void> => {
    try {
      await options.send(batch)
      options.count?.exported(batch.length)
      failures = 0
    } catch (error) {
      drop(batch.length)
      if (failures++ % failuresPerLine === 0)
        options.log.warn({ dropped, err: String(error) }, 'spans dropped, collector not reachable or rejecting')
    }
  }
  const drain = async (): Promise<void> => {
    // Sends only what is queued now: while the collector is down, spans that arrive meanwhile must not prolong a drain.
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
  const timer = setInterval(() => {
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    void flush()
  }, options.flushEveryMs ?? 1000).unref()
  return {
    add(span) {
      if (queue.length >= maxQueue) drop(1)
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
