const LF = 0x0a
const CR = 0x0d
const boundary = Buffer.from('\n\n')
const nothing = Buffer.alloc(0)

/** Maximum size of one event of a stream. */
const maxFrameBytes = 16 * 1024 * 1024

/** Splits a stream of server-sent events into whole frames, in place. */
export interface FrameSplitter {
  /** Returns the frames that are complete, each ending with an empty line. Throws above 16 MiB per frame. */
  push(chunk: Buffer): Buffer
  /** Returns an incomplete frame at the end of the stream. */
  rest(): Buffer
}

/** Creates a splitter. Line ends become LF, as the frames of the gateway have them. */
export function createFrameSplitter(): FrameSplitter {
  let kept: Buffer[] = []
  let size = 0
  let endsWithLf = false
  const toLf = createLineEnds()
  const keep = (bytes: Buffer): void => {
    if (bytes.length === 0) return
    kept.push(bytes)
    size += bytes.length
    if (size > maxFrameBytes) throw new Error(`event above ${maxFrameBytes} bytes`)
  }
  const take = (): Buffer => {
    const bytes = kept.length === 1 ? (kept[0] ?? nothing) : Buffer.concat(kept)
    kept = []
    size = 0
    return bytes
  }
  return {
    push(chunk) {
      const bytes = toLf(chunk)
      const split = bytes[0] === LF && endsWithLf ? Math.max(bytes.lastIndexOf(boundary) + 2, 1) : endOfFrames(bytes)
      if (bytes.length > 0) endsWithLf = bytes.at(-1) === LF
      if (split === 0) {
        keep(bytes)
        return nothing
      }
      kept.push(bytes.subarray(0, split))
      const whole = take()
      keep(bytes.subarray(split))
      return whole
    },
    rest: take,
  }
}

function endOfFrames(bytes: Buffer): number {
  return bytes.lastIndexOf(boundary) + (bytes.includes(boundary) ? 2 : 1)
}

// Providers may end lines with CRLF or CR, also split between two chunks.
function createLineEnds(): (chunk: Buffer) => Buffer {
  let afterCr = false
  return (given) => {
    const chunk = afterCr && given[0] === LF ? given.subarray(1) : given
    if (given.length > 0) afterCr = given.at(-1) === CR
    if (!chunk.includes(CR)) return chunk
    return Buffer.from(chunk.toString('latin1').replaceAll(/\r\n?/g, '\n'), 'latin1')
  }
}

/** The frames of a buffer of whole frames. */
export function* framesIn(whole: Buffer): Generator<Buffer> {
  for (let start = 0; start < whole.length;) {
    const end = whole.indexOf(boundary, start)
    const next = end === -1 ? whole.length : end + 2
    yield whole.subarray(start, next)
    start = next
  }
}

/** The data of a frame; undefined if it has none. */
export function frameData(frame: Buffer): string | undefined {
  // Frames with one field are the rule.
  const text = frame.toString('utf8')
  const lines = text.startsWith('data:') && text.indexOf('\n') >= text.length - 2 ? [text.trimEnd()] : text.split('\n')
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(line[5] === ' ' ? 6 : 5))
  return data.length === 0 ? undefined : data.join('\n')
}
