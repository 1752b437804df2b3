import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

/** One parsed event. `event` is `message` if the stream gave no name. */
export interface ParsedEvent {
  readonly event: string
  readonly data: string
  /** Last id of the stream so far. */
  readonly id: string | undefined
}

/** An incremental parser, fed with chunks as they arrive. */
export interface SseParser {
  push(chunk: Buffer): void
}

/** Limits of a parser. An event above `maxEventSize` makes `push` throw; the parser is unusable afterwards. */
export interface SseParserOptions {
  /** In UTF-16 code units; default 16 Mi. */
  readonly maxEventSize?: number
  /** Creates the error for an event above the limit. */
  readonly tooLarge?: (limit: number) => Error
}

/**
 * Parses a server-sent-event stream from Buffers (WHATWG HTML, section 9.2.6). Adds to `eventsource-parser` the decoding of characters
 * split between chunks, the last id, and an error for an event above the limit.
 */
export function createSseParser(onEvent: (event: ParsedEvent) => void, options: SseParserOptions = {}): SseParser {
  const { maxEventSize: limit = 16 * 1024 * 1024, tooLarge = defaultTooLarge } = options
  let lastId: string | undefined
  const decoder = new StringDecoder('utf8')
  const parser = createParser({
    maxBufferSize: limit,
    onId: (id) => {
      lastId = id
    },
    onEvent: ({ event = 'message', data }) => onEvent({ event, data, id: lastId }),
  })
  return {
    push(chunk) {
      parser.feed(decoder.write(chunk))
      if (isTerminated(parser)) throw tooLarge(limit)
    },
  }
}

// `onError` would report the overflow too, but with it the library builds an Error with a stack for each unknown field. A hostile stream of
// such lines would cost microseconds per two bytes. A terminated parser throws on any feed.
function isTerminated(parser: { feed(chunk: string): void }): boolean {
  try {
    parser.feed('')
    return false
  } catch {
    return true
  }
}

function defaultTooLarge(limit: number): Error {
  return new Error(`server-sent event above ${limit} characters`)
}
