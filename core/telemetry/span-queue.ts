import type { Logger } from '#core/log/logger.ts'

/** Options of a span queue: how spans are sent, and what is reported. */
export interface SpanQueueOptions<Span> {
  /** Sends a batch. Rejects when the collector does not accept it; the message of the error is logged. */
  readonly send: (batch: readonly Span[]) => Promise<void>
  readonly log: Logger
  /** Maximum number of waiting spans (2048). */
  readonly maxSpans?: number
  /** Number of spans in one batch (512). A distant destination should get fewer, larger batches. */
  readonly maxBatch?: number
  /** Size of a span in bytes, for the bounds of the queue (16 MiB) and of a batch (1 MiB); without it they are numbers of spans only. */
  readonly sizeOf?: (span: Span) => number
  /** Receives the numbers of exported and dropped spans. */
  readonly count?: { exported(spans: number): void; dropped(spans: number): void }
  readonly flushEveryMs?: number
}

/** Exports spans, best effort (H4). Nothing waits for it; a full queue or a failed post drops spans and counts them. */
export interface SpanQueue<Span> {
  add(span: Span): void
  /** Sends the queued spans. Resolves after the attempt. */
  flush(): Promise<void>
  /** Number of spans dropped so far. */
  dropped(): number
  close(): Promise<void>
}

const fullBatch = 512
const maxQueueBytes = 16 * 1024 * 1024
const maxBatchBytes = 1024 * 1024
// Logs the first failure and every sixtieth after it: a collector that is down for days must not fill the log.
const failuresPerLine = 60

/** Starts the queue. The timer does not keep the process alive. */
export function createSpanQueue<Span>(options: SpanQueueOptions<Span>): SpanQueue<Span> {
  const { maxSpans = 2048, maxBatch = fullBatch, sizeOf = () => 0 } = options
  const queue: Span[] = []
  let bytes = 0
  let dropped = 0
  let failures = 0
  let overflowed = 0
  let sending: Promise<void> | undefined
  const drop = (spans: number): void => {
    dropped += spans
    options.count?.dropped(spans)
  }
  // Logs the first dropped span and each doubling: about twenty lines for a day of overflow.
  const overflow = (): void => {
    overflowed++
    if (Number.isInteger(Math.log2(overflowed))) options.log.warn({ dropped }, 'spans dropped: the queue is full')
  }
  const nextBatch = (): readonly Span[] => {
    let size = 0
    const end = queue.findIndex((span, index) => {
      size += sizeOf(span)
      return index === maxBatch || (index > 0 && size > maxBatchBytes)
    })
    const batch = queue.splice(0, end === -1 ? queue.length : end)
    for (const span of batch) bytes -= sizeOf(span)
    return batch
  }
  const post = async (batch: readonly Span[]): Promise<void> => {
    try {
      await options.send(batch)
      options.count?.exported(batch.length)
      failures = 0
    } catch (error) {
      drop(batch.length)
      if (failures++ % failuresPerLine === 0)
        options.log.warn({ dropped, err: String(error) }, 'spans dropped: collector not reachable or rejecting')
    }
  }
  const drain = async (): Promise<void> => {
    // Sends only what is queued now: while the collector is down, spans that arrive meanwhile must not prolong a drain.
    for (let left = queue.length; left > 0;) {
      const batch = nextBatch()
      left -= batch.length
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
      const size = sizeOf(span)
      if (queue.length >= maxSpans || bytes + size > maxQueueBytes) {
        drop(1)
        overflow()
        return
      }
      queue.push(span)
      bytes += size
      // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
      if (queue.length >= fullBatch && sending === undefined) void flush()
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
