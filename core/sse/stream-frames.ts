const LF = 0x0a
const CR = 0x0d
const boundary = Buffer.from('\n\n')
const nothing = Buffer.alloc(0)

/** Maximum size of one event of a stream. */
const maxFrameBytes = 16 * 1024 * 1024

/** Bytes that are reused for the next incomplete frame of a stream. */
const mostReused = 64 * 1024

/** Splits a stream of server-sent events into whole frames, in place. */
export interface FrameSplitter {
  /** Returns the frames that are complete, each ending with an empty line. Throws above 16 MiB per frame. */
  push(chunk: Buffer): Buffer
  /** The incomplete frame so far, until the next call. */
  unfinished(): Buffer
  /** Takes an incomplete frame at the end of the stream. */
  rest(): Buffer
}

/** Creates a splitter. Line ends become LF, as in the frames of the gateway. */
export function createFrameSplitter(): FrameSplitter {
  const kept = createIncompleteFrame()
  let endsWithLf = false
  const toLf = createLineEnds()
  return {
    push(chunk) {
      const bytes = toLf(chunk)
      const { length } = bytes
      if (length === 0) return nothing
      const isWhole = bytes[length - 1] === LF && bytes[length - 2] === LF
      if (isWhole && kept.isEmpty()) {
        endsWithLf = true
        return bytes
      }
      const split = bytes[0] === LF && endsWithLf ? Math.max(bytes.lastIndexOf(boundary) + 2, 1) : endOfFrames(bytes)
      endsWithLf = bytes[length - 1] === LF
      if (split === 0) {
        kept.add(bytes)
        return nothing
      }
      const whole = kept.take(bytes.subarray(0, split))
      kept.add(bytes.subarray(split))
      return whole
    },
    unfinished: kept.bytes,
    rest: () => kept.take(nothing),
  }
}

// A frame may arrive byte by byte: its parts are copied into one buffer, which doubles.
function createIncompleteFrame() {
  let buffer = nothing
  let size = 0
  return {
    isEmpty: () => size === 0,
    bytes: (): Buffer => buffer.subarray(0, size),
    add(part: Buffer): void {
      const next = size + part.length
      if (next > maxFrameBytes) throw new Error(`event above ${maxFrameBytes} bytes`)
      if (next > buffer.length) {
        const grown = Buffer.allocUnsafe(Math.max(next, 2 * buffer.length, 256))
        buffer.copy(grown, 0, 0, size)
        buffer = grown
      }
      part.copy(buffer, size)
      size = next
    },
    /** Takes the frame with its end. */
    take(end: Buffer): Buffer {
      if (size === 0) return end
      const whole = Buffer.concat([buffer.subarray(0, size), end])
      if (buffer.length > mostReused) buffer = nothing
      size = 0
      return whole
    },
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
    return chunk.includes(CR) ? withLf(chunk) : chunk
  }
}

function withLf(chunk: Buffer): Buffer {
  const lines = Buffer.allocUnsafe(chunk.length)
  let length = 0
  let start = 0
  for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, start)) {
    length += chunk.copy(lines, length, start, at)
    lines[length++] = LF
    start = chunk[at + 1] === LF ? at + 2 : at + 1
  }
  length += chunk.copy(lines, length, start)
  return lines.subarray(0, length)
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
  const decoded = frame.toString('utf8')
  // A stream may begin with a byte order mark.
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded
  // Most frames have one field.
  const lines = text.startsWith('data:') && text.indexOf('\n') >= text.length - 2 ? [text.trimEnd()] : text.split('\n')
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(line[5] === ' ' ? 6 : 5))
  return data.length === 0 ? undefined : data.join('\n')
}
