import { encodeFrame } from '#core/sse/frame.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

const framed = new WeakMap<LiveFrame, Buffer>()

/** A frame, encoded for an event stream once for all clients that receive it. */
export function encodeLiveFrame(frame: LiveFrame): Buffer {
  const known = framed.get(frame)
  if (known !== undefined) return known
  const id = frame.seq === undefined ? {} : { id: String(frame.seq) }
  const bytes = encodeFrame({ event: frame.kind, data: JSON.stringify(frame), ...id })
  framed.set(frame, bytes)
  return bytes
}
