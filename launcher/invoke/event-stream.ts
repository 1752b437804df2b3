import type { ServerResponse } from 'node:http'
import { encodeComment, encodeFrame } from '#core/sse/frame.ts'
import type { Attempt } from '../runs/attempt.ts'

const heartbeatMs = 15_000

/** What a reader may leave unread. */
export interface StreamLimits {
  /** Bytes beyond the replay before the reader is cut (8 MiB). */
  readonly maxBehind: number
  /** Bytes that wait for the reader before the agent's answer is paused (1 MiB). */
  readonly pressureBytes: number
  /** How long the reader may take nothing then, before it is cut (10 s): a worker that is gone must not stop the agent. */
  readonly stalledMs: number
}

const defaults: StreamLimits = { maxBehind: 8 * 1024 * 1024, pressureBytes: 1024 * 1024, stalledMs: 10_000 }
const heartbeat = encodeComment('still here')
const streamEnd = encodeFrame({ event: 'stream.end', data: '{}' })

/**
 * Streams the entries of an attempt above `after`, ends with `stream.end`. A reader that falls more than 8 MiB behind
 * what it was replayed is cut: it comes back with the last `n` it read and misses nothing.
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
  // A slow reader takes the end late: a write after it would be an error that no code handles.
  const beat = (): boolean => response.writableEnded || response.write(heartbeat)
  const timer = setInterval(beat, heartbeatMs).unref()
  response.on('close', () => {
    clearInterval(timer)
    stop()
  })
}

// One wait for all who ask while the response is behind.
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
