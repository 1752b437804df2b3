import { toBytes } from './frame-bytes.ts'
import type { LiveFrame } from './live-frame.ts'

/** Live frames between their arrival and their turn in a stream. */
export interface Inbox {
  put(frame: LiveFrame): void
  /** The frames that arrived since the last call; waits up to `waitMs` for the first. */
  take(waitMs: number): Promise<readonly LiveFrame[]>
}

const maxFrames = 1000
const maxBytes = 4 * 1024 * 1024

/** Makes the inbox of one stream. Above 1,000 frames or 4 MiB the oldest are dropped, and the journal fills the hole (F6). */
export function createInbox(signal: AbortSignal): Inbox {
  let frames: LiveFrame[] = []
  let bytes = 0
  let wake: (() => void) | undefined
  signal.addEventListener('abort', () => wake?.(), { once: true })
  return {
    put(frame) {
      frames.push(frame)
      bytes += toBytes(frame).length
      while (frames.length > maxFrames || bytes > maxBytes) {
        const dropped = frames.shift()
        if (dropped === undefined) break
        bytes -= toBytes(dropped).length
      }
      wake?.()
    },
    async take(waitMs) {
      if (frames.length === 0 && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = setTimeout(resolve, waitMs)
        await promise
        clearTimeout(timer)
        wake = undefined
      }
      const taken = frames
      frames = []
      bytes = 0
      return taken
    },
  }
}
