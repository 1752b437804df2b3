import type { ServerResponse } from 'node:http'
import { encodeComment, encodeFrame } from '#core/sse/frame.ts'
import type { Attempt } from './attempt.ts'

const heartbeatMs = 15_000
const defaultMaxBehind = 8 * 1024 * 1024
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
  maxBehind = defaultMaxBehind,
): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-mesh-run-id': attempt.runId,
  })
  response.flushHeaders()
  let replayed = Number.POSITIVE_INFINITY
  const stop = attempt.follow(after, {
    write(frame) {
      response.write(frame)
      if (response.writableLength > replayed + maxBehind) response.destroy()
    },
    end() {
      response.end(streamEnd)
    },
    cut: () => void response.destroy(),
  })
  replayed = response.writableLength
  const timer = setInterval(() => response.write(heartbeat), heartbeatMs).unref()
  response.on('close', () => {
    clearInterval(timer)
    stop()
  })
}
