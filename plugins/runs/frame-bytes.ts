import { encodeFrame } from '#core/sse/frame.ts'
import type { LiveFrame } from './live-frame.ts'

const framed = new WeakMap<LiveFrame, Buffer>()

/** A frame as an event stream carries it; encoded once for all clients that are handed the same frame. */
export function toBytes(frame: LiveFrame): Buffer {
  const known = framed.get(frame)
  if (known !== undefined) return known
  const id = frame.seq === undefined ? {} : { id: String(frame.seq) }
  const bytes = encodeFrame({ event: frame.kind, data: JSON.stringify(frame), ...id })
  framed.set(frame, bytes)
  return bytes
}
