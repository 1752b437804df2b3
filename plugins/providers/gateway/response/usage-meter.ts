import { isObject } from '#core/json/is-object.ts'
import { readChatUsage } from '#core/model-apis/chat-usage.ts'
import type { CacheWrites } from '#core/model-apis/message-usage.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { Metered } from '../../contract/events.ts'

/** Token counts of a response; `usageReported` is false if the provider reported none. */
export type Counted = Pick<
  Metered,
  'usageReported' | 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'reasoningTokens'
> &
  CacheWrites

/** Reads the usage from a response while it is relayed. `pass` returns the bytes for the client. */
export interface UsageMeter {
  pass(chunk: Buffer): Buffer
  counted(): Counted
}

const nothing: Counted = { usageReported: false, inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** For answers of agents, whose model calls are metered themselves. */
export const unmetered: UsageMeter = { pass: (chunk) => chunk, counted: () => nothing }
const emptyChoices = /"choices"\s*:\s*\[\s*\]/
const tailBytes = 16 * 1024
const maxWhole = 32 * 1024 * 1024

/** For a stream whose client requested usage: bytes are relayed unchanged, and the usage is read from the end. */
export function meterTail(): UsageMeter {
  // At least the last `tailBytes`; a frame is copied once.
  const tail: Buffer[] = []
  let size = 0
  return {
    pass(chunk) {
      const kept = Buffer.from(chunk.subarray(-tailBytes))
      size += kept.length
      tail.push(kept)
      for (let [first] = tail; first !== undefined && size - first.length >= tailBytes; [first] = tail) {
        size -= first.length
        tail.shift()
      }
      return chunk
    },
    counted() {
      const lines = Buffer.concat(tail)
        .toString('utf8')
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:') && line.includes('"usage"'))
      return lines.map((line) => read(line.slice(5))).findLast(({ usageReported }) => usageReported) ?? nothing
    },
  }
}

/** For a stream whose client did not request usage: the chunk with usage only, requested by the gateway, is removed. */
export function meterAndHide(): UsageMeter {
  let counted = nothing
  let out: Buffer[] = []
  let atBoundary = true
  const parser = createSseParser(({ data }) => {
    if (data.includes('"usage"')) {
      const seen = read(data)
      if (seen.usageReported) counted = seen
      if (emptyChoices.test(data)) return
    }
    out.push(encodeFrame({ data }))
  })
  return {
    pass(chunk) {
      const wasAtBoundary = atBoundary
      atBoundary = chunk.subarray(-2).equals(boundary)
      if (wasAtBoundary && atBoundary && isPlain(chunk)) return chunk
      parser.push(chunk)
      const ready = Buffer.concat(out)
      out = []
      return ready
    },
    counted: () => counted,
  }
}

const boundary = Buffer.from('\n\n')

// Whole frames as `encodeFrame` writes them, without usage: parsing and encoding would return the same bytes.
function isPlain(chunk: Buffer): boolean {
  const text = chunk.toString('latin1')
  if (!/^(?:data: [^\r\n]*\n\n)+$/.test(text)) return false
  return !text.includes('"usage"') || !(/"usage"(?!\s*:\s*null\b)/.test(text) || emptyChoices.test(text))
}

/** For a response that is one JSON document. `usageIn` reads the usage from it; default: as chat completions have it. */
export function meterWhole(usageIn: (body: unknown) => Counted = readUsage): UsageMeter {
  const chunks: Buffer[] = []
  let size = 0
  return {
    pass(chunk) {
      size += chunk.length
      if (size <= maxWhole) chunks.push(Buffer.from(chunk))
      return chunk
    },
    counted: () => (size > maxWhole ? nothing : usageIn(parse(Buffer.concat(chunks).toString('utf8')))),
  }
}

function read(text: string): Counted {
  return readUsage(parse(text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readUsage(body: unknown): Counted {
  const usage = readChatUsage(isObject(body) ? body.usage : undefined)
  return usage === undefined ? nothing : { usageReported: true, ...usage }
}
