import type { ServerResponse } from 'node:http'
import { encodeComment, encodeFrame } from '#core/sse/frame.ts'
import type { Attempt } from '../../runs/attempt.ts'

const heartbeatMs = 15_000

/** Limits of unread data per reader. */
export interface StreamLimits {
  /** Unread bytes beyond the replay at which the reader is disconnected (8 MiB). */
  readonly maxBehind: number
  /** Unread bytes at which the agent's response is paused (1 MiB). */
  readonly pressureBytes: number
  /**
   * Time without progress after which the response is no longer paused for the reader, which is disconnected (10 s). An ended worker must not block
   * the agent.
   */
  readonly stalledMs: number
}

const defaults: StreamLimits = { maxBehind: 8 * 1024 * 1024, pressureBytes: 1024 * 1024, stalledMs: 10_000 }
const heartbeat = encodeComment('heartbeat')
const streamEnd = encodeFrame({ event: 'stream.end', data: '{}' })

/**
 * Streams the entries of an attempt above `after`, then `stream.end`. A reader that falls more than 8 MiB behind its replay is
 * disconnected; it reconnects with the last `n` that it read and loses nothing.
 */
export function streamEvents(
  response: ServerResponse,
  attempt: Pick<Attempt, 'runId' | 'follow'>,
  after: number,
  limits: Partial<StreamLimits> = {},
): void {
  const { maxBehind, pressureBytes, stalledMs } = { ...defaults, ...limits }
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-mesh-run-id': attempt.runId,
  })
  response.flushHeaders()
  let replayed = Number.POSITIVE_INFINITY
  const drained = createDrain(response, stalledMs)
  const stop = attempt.follow(after, {
    write(frame) {
      response.write(frame)
      if (response.writableLength > replayed + maxBehind) response.destroy()
    },
    end() {
      response.end(streamEnd)
    },
    cut: () => {
      response.destroy()
    },
    pressure: () => (response.writableLength > pressureBytes ? drained() : undefined),
  })
  replayed = response.writableLength
  // A slow reader reads the end late; a write after the end would be an unhandled error.
  const beat = (): boolean => response.writableEnded || response.write(heartbeat)
  const timer = setInterval(beat, heartbeatMs).unref()
  response.on('close', () => {
    clearInterval(timer)
    stop()
  })
}

// Callers share one wait.
function createDrain(response: ServerResponse, stalledMs: number): () => Promise<void> {
  let waiting: Promise<void> | undefined
  return () => (waiting ??= untilDrained(response, stalledMs).finally(() => (waiting = undefined)))
}

function untilDrained(response: ServerResponse, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    let left = response.writableLength
    const watch = setInterval(() => {
      if (response.writableLength >= left) response.destroy()
      left = response.writableLength
    }, stalledMs)
    const settle = (): void => {
      clearInterval(watch)
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.once('drain', settle).once('close', settle)
  })
}
