import { longTimeout } from '#core/async/long-timeout.ts'
import type { LongTimeout } from '#core/async/long-timeout.ts'
import { backoffMs } from '#core/async/backoff.ts'
import type { BackoffBounds } from '#core/async/backoff.ts'
import type { TokenBucket } from '#core/async/token-bucket.ts'
import { countRequests } from '#core/async/request-count.ts'
import { sleep } from '#core/async/sleep.ts'

/** Longest delay before refused work is retried, unless a change causes an earlier retry. */
export const LONGEST_RETRY_MS = 15 * 60_000

/** Result of the work: requeue after a delay, or done. */
export interface WorkResult {
  readonly requeueAfterMs?: number
  /** The work could not be done: it is retried after this delay, which doubles with each further failure. */
  readonly retryAfterMs?: number
}

/** Options of a queue: `work` runs once at a time per key, and `concurrency` times in parallel. */
export interface WorkQueueOptions {
  readonly concurrency: number
  readonly work: (key: string) => Promise<WorkResult>
  readonly onError: (key: string, error: unknown, failures: number) => void
  /** Back-off after an error. */
  readonly retry?: BackoffBounds
  /** Whether an error will probably recur. Such an error backs off like a `retryAfterMs`. */
  readonly isRefusal?: (error: unknown) => boolean
  /** Bounds the requests of the retries of all keys. A retry takes one token for each request of the previous attempt. */
  readonly bucket?: TokenBucket
  /**
   * Bounds the requests of all other attempts. Their number is known at the end of an attempt, whose slot stays taken until the tokens are
   * available.
   */
  readonly attempts?: TokenBucket
  readonly random?: () => number
}

/** A queue that processes each key once at a time. A key that changes during its processing is processed once more. */
export interface WorkQueue {
  /** `renewed`: a change of the object itself, which ends the back-off of earlier failures. */
  add(key: string, renewed?: boolean): void
  /** Number of waiting keys. */
  readonly depth: number
  /** Starts no more work. Resolves when work in progress has ended. */
  stop(): Promise<void>
}

interface Entry {
  dirty: boolean
  running: boolean
  failures: number
  requests: number
  retrying: boolean
  timer: LongTimeout | undefined
}

/** Creates a queue; work starts with the first `add`. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const entries = new Map<string, Entry>()
  const waiting: string[] = []
  const underWay = new Set<Promise<void>>()
  const retry = options.retry ?? { minMs: 200, maxMs: 60_000 }
  let stopped = false
  const stopping = new AbortController()

  const add = (key: string, renewed = false): void => {
    if (stopped) return
    const entry = entries.get(key) ?? newEntry()
    entries.set(key, entry)
    if (renewed) entry.failures = 0
    enqueue(key, entry, false)
  }
  const enqueue = (key: string, entry: Entry, retrying: boolean): void => {
    entry.retrying = retrying
    entry.timer?.cancel()
    entry.timer = undefined
    if (entry.dirty) return
    entry.dirty = true
    if (!entry.running) waiting.push(key)
    startWaiting()
  }
  const startWaiting = (): void => {
    while (underWay.size < options.concurrency) {
      const key = stopped ? undefined : waiting.shift()
      const entry = key === undefined ? undefined : entries.get(key)
      if (key === undefined || entry === undefined) return
      const task = run(key, entry)
        .then(sleepFor)
        .finally(() => {
          underWay.delete(task)
          startWaiting()
        })
      underWay.add(task)
    }
  }
  const sleepFor = (ms: number): Promise<void> | undefined => (ms > 0 ? sleep(ms, stopping.signal) : undefined)
  // Returns how long the slot of this attempt stays taken.
  const run = async (key: string, entry: Entry): Promise<number> => {
    const { retrying } = entry
    entry.retrying = false
    entry.dirty = false
    entry.running = true
    const again = await attempt(key, entry)
    entry.running = false
    if (stopped) return 0
    const { requests } = entry
    // A change during the work is processed now, whatever the result was.
    if (entry.dirty) waiting.push(key)
    else if (again !== undefined) entry.timer = longTimeout(() => retryWithin(key, entry), again)
    else entries.delete(key)
    return retrying || requests === 0 ? 0 : (options.attempts?.reserve(requests) ?? 0)
  }
  // Tokens are taken after the delay. If they were taken before, retries whose delays end together would run together.
  const retryWithin = (key: string, entry: Entry): void => {
    const wait = entry.failures === 0 ? 0 : (options.bucket?.reserve(Math.max(1, entry.requests)) ?? 0)
    const again = (): void => enqueue(key, entry, entry.failures > 0)
    if (wait > 0) entry.timer = longTimeout(again, wait)
    else again()
  }
  const attempt = async (key: string, entry: Entry): Promise<number | undefined> => {
    try {
      const { requeueAfterMs, retryAfterMs } = await countRequests(
        () => options.work(key),
        (requests) => (entry.requests = requests),
      )
      if (retryAfterMs !== undefined) return backOff(entry, { minMs: retryAfterMs, maxMs: LONGEST_RETRY_MS })
      entry.failures = 0
      return requeueAfterMs
    } catch (error) {
      options.onError(key, error, entry.failures + 1)
      const isRefusal = options.isRefusal?.(error) === true
      return backOff(entry, isRefusal ? { minMs: retry.minMs, maxMs: LONGEST_RETRY_MS } : retry)
    }
  }
  const backOff = (entry: Entry, bounds: BackoffBounds): number => {
    entry.failures += 1
    return backoffMs(entry.failures - 1, bounds, options.random)
  }
  return {
    add,
    get depth() {
      return waiting.length
    },
    stop: async () => {
      stopped = true
      stopping.abort()
      for (const entry of entries.values()) entry.timer?.cancel()
      await Promise.all(underWay)
    },
  }
}

function newEntry(): Entry {
  return { dirty: false, running: false, failures: 0, requests: 0, retrying: false, timer: undefined }
}
