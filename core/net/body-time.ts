import type { IncomingMessage } from 'node:http'

// Each of these extends the time by a second, since large bodies over slow connections are valid.
const BYTES_A_SECOND = 256 * 1024

/**
 * Calls `onLate` when a body has not arrived after `seconds`, plus one for each 256 KiB that `received` counts on its connection. Returns a
 * function that ends the watch.
 */
export function watchBodyTime(
  request: IncomingMessage,
  { seconds, received }: { readonly seconds: number; readonly received: () => number },
  onLate: () => void,
): () => void {
  const [startedAt, before] = [performance.now(), received()]
  let timer: NodeJS.Timeout | undefined
  // After a pause of this process, timers run before the bytes that arrived meanwhile are read.
  const check = (hasPolled: boolean): void => {
    if (isOver(request)) return
    const allowedMs = (seconds + (received() - before) / BYTES_A_SECOND) * 1000
    const leftMs = startedAt + allowedMs - performance.now()
    if (leftMs > 0) timer = setTimeout(check, leftMs, false).unref()
    else if (hasPolled) onLate()
    else setImmediate(check, true)
  }
  if (!isOver(request)) timer = setTimeout(check, seconds * 1000, false).unref()
  return () => clearTimeout(timer)
}

/** Whether a request announces a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
}

function isOver(request: IncomingMessage): boolean {
  return request.complete || request.readableEnded || request.destroyed
}
