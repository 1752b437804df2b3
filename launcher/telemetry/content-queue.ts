import { setImmediate as turn } from 'node:timers/promises'
import type { Redact } from '#core/guardrails/redactor.ts'
import type { OtlpAttributes } from '#core/otlp/span.ts'
import type { ReadContent } from '#core/telemetry/span-content.ts'
import { toContentAttributes } from './content-attributes.ts'

/** Spans whose content waits: each holds its request and its response. */
const MOST_WAITING = 32

/** Reads contents one after the other, after the turn of the event loop in which their spans ended: requests of the launcher come first. */
export interface ContentQueue {
  /** Calls `then` with the attributes; with undefined if too many wait, or the content cannot be read. */
  add(read: ReadContent, then: (attributes: OtlpAttributes | undefined) => void): void
  /** Resolves when all contents were read. */
  close(): Promise<void>
}

const LONG_CHARS = 128
const MOST_REMEMBERED = 64

// Each call of a run repeats the instructions and the messages before it.
function rememberLong(redact: Redact): Redact {
  const known = new Map<string, string>()
  return (text) => {
    if (text.length < LONG_CHARS) return redact(text)
    const found = known.get(text) ?? redact(text)
    // The first entry is the least recently used.
    known.delete(text)
    known.set(text, found)
    const [oldest] = known.keys()
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest)
    return found
  }
}

/** Creates the queue. */
export function createContentQueue(redact: Redact): ContentQueue {
  const remembered = rememberLong(redact)
  let waiting = 0
  let tail = Promise.resolve()
  const attributesOf = async (read: ReadContent): Promise<OtlpAttributes | undefined> => {
    await turn()
    const content = await read()
    return content === undefined ? {} : toContentAttributes(content, remembered)
  }
  const readAfter = async (before: Promise<void>, ...[read, then]: Parameters<ContentQueue['add']>): Promise<void> => {
    await before
    const attributes = await attributesOf(read).catch(() => undefined)
    waiting--
    then(attributes)
  }
  return {
    add(read, then) {
      if (waiting >= MOST_WAITING) return then(undefined)
      waiting++
      tail = readAfter(tail, read, then)
    },
    close: () => tail,
  }
}
