import { createFrameSplitter, frameData, framesIn } from '../../sse/stream-frames.ts'
import { createChatReader } from './chat-reader.ts'
import type { ResponseApi } from './event-reader.ts'
import { createMessageReader } from './message-reader.ts'
import type { ResponseMeter } from './response-meter.ts'
import { estimateTokens } from './token-count.ts'

const nothing = Buffer.alloc(0)
const boundary = Buffer.from('\n\n')

/** Options of `createStreamMeter`. */
export interface StreamMeterOptions {
  readonly api: ResponseApi
  /** What is relayed: bytes as they come, or whole events, whose lines end with LF. */
  readonly relays: 'bytes' | 'events'
  /** For `events`: removes the event that contains only the usage, which the caller did not request. */
  readonly hidesUsage?: boolean
  /** For `events`: holds the last event back. */
  readonly holdsLast?: boolean
  /** Whether `seenTokens` is read. Default: true. */
  readonly estimates?: boolean
}

/** Reads a stream of server-sent events while it is relayed. `pass` throws above 16 MiB per event. */
export interface StreamMeter extends ResponseMeter {
  seenTokens(): number
  /** Name of the model at the provider. */
  model(): string | undefined
  /** Whether an error has been sent. */
  failed(): boolean
  /** The event that ends a complete stream (`[DONE]`, `message_stop`); empty before it. */
  last(): Buffer
}

/** Creates a meter. Events without anything to read are not parsed. */
export function createStreamMeter(options: StreamMeterOptions): StreamMeter {
  const { api, relays, hidesUsage = false, holdsLast = false, estimates = true } = options
  const splitter = createFrameSplitter()
  const reader = api === 'messages' ? createMessageReader() : createChatReader()
  let tokens = 0
  let last: Buffer = nothing
  const isShown = (event: Buffer): boolean => {
    if (reader.isPlain(event.toString('latin1'))) return true
    const kind = reader.read(frameData(event) ?? '')
    if (kind === 'last') last = Buffer.from(event)
    return kind === 'other' || !(kind === 'last' ? holdsLast : hidesUsage)
  }
  const read = (events: Buffer): Buffer => {
    const text = events.toString('latin1')
    if (estimates) tokens += estimateTokens(text)
    if (reader.isPlain(text)) return events
    const all = [...framesIn(events)]
    const shown = all.filter(isShown)
    return shown.length === all.length ? events : Buffer.concat(shown)
  }
  return {
    pass(chunk) {
      const events = splitter.push(chunk)
      const shown = events.length === 0 ? nothing : read(events)
      return relays === 'bytes' ? chunk : shown
    },
    end() {
      const rest = splitter.rest()
      const shown = rest.length === 0 ? nothing : read(terminated(rest))
      return relays === 'bytes' ? nothing : shown
    },
    usage: reader.usage,
    // An event that has not ended was generated, too.
    seenTokens: () => tokens + estimateTokens(splitter.unfinished().toString('latin1')),
    model: reader.model,
    failed: reader.failed,
    last: () => last,
  }
}

// Completes an unfinished event, so that what follows starts an event of its own.
function terminated(event: Buffer): Buffer {
  return Buffer.concat([event, event.at(-1) === boundary[0] ? boundary.subarray(1) : boundary])
}
