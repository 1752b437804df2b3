import { encodeLiveFrame } from './encode-frame.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

/** Buffer of live frames for a stream. */
export interface FrameBuffer {
  put(frame: LiveFrame): void
  /** Returns the frames received since the last call. Waits up to `waitMs` for the first one. */
  take(waitMs: number): Promise<readonly LiveFrame[]>
}

const maxFrames = 1000
const maxBytes = 4 * 1024 * 1024

/** Creates the buffer of one stream. Beyond 1,000 frames or 4 MiB the oldest are dropped, and the stream reads the journal (F6). */
export function createFrameBuffer(signal: AbortSignal): FrameBuffer {
  let frames: LiveFrame[] = []
  let bytes = 0
  let wake: (() => void) | undefined
  signal.addEventListener('abort', () => wake?.(), { once: true })
  return {
    put(frame) {
      frames.push(frame)
      bytes += encodeLiveFrame(frame).length
      while (frames.length > maxFrames || bytes > maxBytes) {
        const dropped = frames.shift()
        if (dropped === undefined) break
        bytes -= encodeLiveFrame(dropped).length
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
