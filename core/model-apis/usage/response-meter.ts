import { readChatUsage } from './chat-usage.ts'
import { modelIn, parseObject } from './event-reader.ts'
import type { ResponseApi } from './event-reader.ts'
import { readMessageUsage } from './message-usage.ts'
import type { MessageUsage } from './message-usage.ts'

const nothing = Buffer.alloc(0)

/** Maximum size of a document whose usage is read, in bytes. */
const maxDocument = 32 * 1024 * 1024

/** Reads a response of a provider while it is relayed. */
export interface ResponseMeter {
  /** Returns what can be relayed now. */
  pass(chunk: Buffer): Buffer
  /** Reads an unfinished event at the end, and returns what remains to relay of it. */
  end(): Buffer
  /** Undefined if the provider has not reported it yet, or not as numbers. */
  usage(): MessageUsage | undefined
  /** Estimate of the output of a stream so far; undefined for a document. */
  seenTokens(): number | undefined
}

/** Usage and model that a document reports. */
export interface DocumentUsage {
  readonly usage: MessageUsage | undefined
  /** Name of the model at the provider. */
  readonly model: string | undefined
}

/** Creates a meter of a response that is one JSON document, which is relayed unchanged. The usage of one above 32 MiB is not read. */
export function createDocumentMeter(api: ResponseApi): ResponseMeter {
  const chunks: Buffer[] = []
  let size = 0
  let read: DocumentUsage | undefined
  return {
    pass(chunk) {
      size += chunk.length
      read = undefined
      if (size <= maxDocument) chunks.push(Buffer.from(chunk))
      return chunk
    },
    end: () => nothing,
    usage() {
      if (size > maxDocument) return undefined
      read ??= readDocumentUsage(api, Buffer.concat(chunks))
      return read.usage
    },
    seenTokens: () => undefined,
  }
}

/** Reads a document. Anything but a JSON object has no usage. */
export function readDocumentUsage(api: ResponseApi, bytes: Buffer): DocumentUsage {
  const body = parseObject(bytes.toString('utf8'))
  if (body === undefined) return { usage: undefined, model: undefined }
  const read = api === 'messages' ? readMessageUsage : readChatUsage
  return { usage: read(body.usage), model: modelIn(body) }
}
