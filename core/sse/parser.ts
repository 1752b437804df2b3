/** One parsed event: `event` is `message` when the stream named none. */
export interface ParsedEvent {
  readonly event: string
  readonly data: string
  /** The last id that the stream gave so far. */
  readonly id: string | undefined
}

/** An incremental parser: feed it chunks as they arrive. */
export interface SseParser {
  push(chunk: Buffer): void
}

/** Bounds of one parser; an event above `maxEventBytes` (default 16 MiB) makes `push` throw. */
export interface SseParserOptions {
  readonly maxEventBytes?: number
  /** Makes the error that `push` throws for an event above the limit. */
  readonly tooLarge?: (limit: number) => Error
  readonly onRetry?: (milliseconds: number) => void
}

const LF = 10
const CR = 13
const BOM = '\uFEFF'

/**
 * Parses a server-sent-event stream from Buffers (WHATWG HTML, section 9.2.6): LF, CRLF and CR end a line, bytes of a
 * character that is split between two chunks are kept, an event without its blank line is dropped.
 */
export function createSseParser(onEvent: (event: ParsedEvent) => void, options: SseParserOptions = {}): SseParser {
  const { maxEventBytes: limit = 16 * 1024 * 1024, tooLarge = defaultTooLarge } = options
  const event = createEvent(onEvent, options.onRetry)
  let pieces: Buffer[] = []
  let waiting = 0
  let afterCr = false
  let first = true

  const endLine = (tail: Buffer): void => {
    const whole = pieces.length === 0 ? tail : Buffer.concat([...pieces, tail])
    pieces = []
    waiting = 0
    const line = whole.toString('utf8')
    event.line(first && line.startsWith(BOM) ? line.slice(1) : line)
    first = false
  }

  return {
    push(chunk) {
      let start = 0
      // The LF of a CRLF that was cut between two chunks ends no second line.
      if (afterCr && chunk[0] === LF) start = 1
      if (chunk.length > 0) afterCr = chunk[chunk.length - 1] === CR
      for (let end = nextBreak(chunk, start); end !== -1; end = nextBreak(chunk, start)) {
        endLine(chunk.subarray(start, end))
        start = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1
      }
      if (start < chunk.length) {
        // Copied: the caller's chunk may be a slice of a pooled buffer that is used again.
        pieces.push(Buffer.from(chunk.subarray(start)))
        waiting += chunk.length - start
      }
      if (waiting + event.size() > limit) throw tooLarge(limit)
    },
  }
}

function defaultTooLarge(limit: number): Error {
  return new Error(`server-sent event above ${limit} bytes`)
}

function nextBreak(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf(LF, from)
  const cr = lf === -1 ? chunk.indexOf(CR, from) : chunk.subarray(from, lf).indexOf(CR)
  if (cr === -1) return lf
  return lf === -1 ? cr : from + cr
}

function createEvent(onEvent: (event: ParsedEvent) => void, onRetry?: (milliseconds: number) => void) {
  let data: string[] = []
  let size = 0
  let name = ''
  let id: string | undefined
  const dispatch = (): void => {
    if (data.length > 0) onEvent({ event: name === '' ? 'message' : name, data: data.join('\n'), id })
    data = []
    size = 0
    name = ''
  }
  const field = (key: string, value: string): void => {
    if (key === 'data') {
      data.push(value)
      size += value.length
    } else if (key === 'event') name = value
    else if (key === 'id' && !value.includes('\0')) id = value
    else if (key === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
  }
  return {
    size: () => size,
    line(line: string): void {
      if (line === '') return dispatch()
      const colon = line.indexOf(':')
      if (colon === 0) return
      if (colon === -1) return field(line, '')
      field(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))
    },
  }
}
