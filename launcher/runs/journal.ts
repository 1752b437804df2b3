import type { EntryKind, LauncherEntry } from '#schemas/runs/run.ts'
import { encodeFrame } from '#core/sse/frame.ts'

/** A live reader of a journal. Frames are shared Buffers and must not be changed. */
export interface Follower {
  write(frame: Buffer): void
  /** The journal is complete. */
  end(): void
  /** Closes this reader: a newer worker reads the run. */
  cut(): void
  /** Resolves when the reader has caught up or disconnected; undefined if it is not behind. */
  pressure?(): Promise<void> | undefined
}

/** Heap of a journal entry in addition to its bytes: Buffer object and list element, measured at 190 to 240 bytes. */
const entryBytes = 256

/** Heap of a string: two bytes per UTF-16 code unit, and the node of a concatenation. */
export function textBytes(text: string): number {
  return text.length * 2 + 48
}

/** Journal of one attempt: entries numbered without gaps, and the text of open messages. */
export interface Journal {
  /** Appends a numbered entry. */
  append(kind: EntryKind, data: Readonly<Record<string, unknown>>, spanId: string): void
  /** Adds text to an open message; followers receive it as `message.delta` with its offset in UTF-16 code units. */
  delta(messageId: string, text: string, spanId: string): void
  /** Replays the entries above `after` and the text of open messages, then follows; the returned function stops. */
  follow(after: number, follower: Follower): () => void
  /** Finishes the open messages with their text so far. */
  finishMessages(): void
  /** Closes all current followers. */
  cut(): void
  /** Accounts memory of the run outside the journal until `end`. */
  hold(bytes: number): void
  /** Resolves when all followers have caught up; undefined if none is behind. */
  pressure(): Promise<void> | undefined
  /** Completes the journal. */
  end(): void
  /** Upper estimate of the memory of the journal, including accounted memory outside it. */
  readonly bytes: number
}

interface OpenMessage {
  text: string
  bytes: number
  readonly spanId: string
}

/** Creates a journal; each frame is encoded once. `now` returns the time of entries. */
export function createJournal(path: readonly string[], now: () => Date): Journal {
  const frames: Buffer[] = []
  const followers = new Set<Follower>()
  const open = new Map<string, OpenMessage>()
  let bytes = 0
  let held = 0
  let ended = false

  const toFrame = (kind: EntryKind, data: LauncherEntry['data'], spanId: string, n?: number): Buffer => {
    const entry: LauncherEntry = {
      ...(n === undefined ? {} : { n }),
      ts: now().toISOString(),
      kind,
      path,
      spanId,
      data,
    }
    return encodeFrame({ event: kind, data: JSON.stringify(entry), ...(n === undefined ? {} : { id: String(n) }) })
  }
  const send = (frame: Buffer): void => {
    for (const follower of followers) follower.write(frame)
  }
  const track = (kind: EntryKind, data: LauncherEntry['data'], spanId: string): void => {
    const { messageId } = data
    if (typeof messageId !== 'string') return
    if (kind === 'message.started') open.set(messageId, { text: '', bytes: 0, spanId })
    if (kind === 'message.finished') {
      bytes -= open.get(messageId)?.bytes ?? 0
      open.delete(messageId)
    }
  }

  const append: Journal['append'] = (kind, data, spanId) => {
    if (ended) return
    const frame = toFrame(kind, data, spanId, frames.length + 1)
    frames.push(frame)
    bytes += frame.length + entryBytes
    track(kind, data, spanId)
    send(frame)
  }

  return {
    append,
    finishMessages() {
      for (const [messageId, { text, spanId }] of open)
        append('message.finished', { messageId, role: 'assistant', text }, spanId)
    },
    delta(messageId, text, spanId) {
      const message = open.get(messageId)
      if (ended || message === undefined || text === '') return
      const offset = message.text.length
      message.text += text
      // The parser of the agent's response keeps the text of open messages too.
      const added = 2 * textBytes(text)
      message.bytes += added
      bytes += added
      if (followers.size > 0) send(toFrame('message.delta', { messageId, offset, text }, spanId))
    },
    follow(after, follower) {
      for (const frame of frames.slice(after)) follower.write(frame)
      for (const [messageId, { text, spanId }] of open)
        if (text !== '') follower.write(toFrame('message.delta', { messageId, offset: 0, text }, spanId))
      if (ended) follower.end()
      else followers.add(follower)
      return () => {
        followers.delete(follower)
      }
    },
    cut() {
      for (const follower of followers) follower.cut()
      followers.clear()
    },
    hold(more) {
      if (ended) return
      held += more
      bytes += more
    },
    pressure() {
      const waits = [...followers].flatMap((follower) => follower.pressure?.() ?? [])
      return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
    },
    end() {
      ended = true
      bytes -= held
      for (const follower of followers) follower.end()
      followers.clear()
    },
    get bytes() {
      return bytes
    },
  }
}
