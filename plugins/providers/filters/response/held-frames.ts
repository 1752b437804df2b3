import { writeLike } from '#core/json/write-like.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import type { TextSlot } from '../session/text-stage.ts'
import type { ResponsePart } from './message-parts.ts'

/** A text of a frame, and its place. */
export interface FrameText extends TextSlot {
  readonly message: ResponsePart
  readonly field: string
  readonly original: string
}

/** A frame of a stream that is not written yet. */
export interface HeldFrame {
  readonly event: string
  readonly data: string
  /** The parsed frame; undefined for `[DONE]`. */
  readonly chunk: ResponsePart | undefined
  readonly texts: FrameText[]
  /** Whether the frame has content that a client waits for: text, a tool call or an end. */
  hasContent: boolean
  /** Choices whose tool calls in this frame are not complete and decided. */
  waiting: number
  /** Whether it is written from `chunk` instead of `data`. */
  changed: boolean
  /** Whether a part of its text is written. */
  partial: boolean
}

/** The frames of a stream in their order. A frame is written when each of its texts and tool calls has passed the filters. */
export class HeldFrames {
  readonly #frames: HeldFrame[] = []
  #started = false
  /** Size of the frames that are held, in characters. */
  size = 0

  add(frame: HeldFrame): void {
    this.#frames.push(frame)
    this.size += frame.data.length
  }

  /** Takes the frames that can be written. None is written before the first content, so that a refusal can still set the HTTP status. */
  take(): Buffer[] {
    const out: Buffer[] = []
    let ready = this.#frames.findIndex((frame) => !isReady(frame))
    if (ready === -1) ready = this.#frames.length
    const next = this.#frames[ready]
    const partly = next !== undefined && canSplit(next)
    this.#started ||= partly || this.#frames.slice(0, ready).some(({ hasContent }) => hasContent)
    if (!this.#started) return out
    for (const frame of this.#frames.splice(0, ready)) {
      this.size -= frame.data.length
      out.push(...writeFrame(frame))
    }
    if (partly) out.push(...writeFrame(next))
    return out
  }
}

function isReady({ texts, waiting }: HeldFrame): boolean {
  return waiting === 0 && texts.every(({ done }) => done)
}

// Each part is its own frame, which would double the size of a stream of single tokens.
const longText = 64

// A frame with a long text is released in parts, unless it has other fields, which may be written only once.
function canSplit({ texts, waiting, chunk }: HeldFrame): boolean {
  const [text] = texts
  if (waiting > 0 || texts.length !== 1 || text === undefined || text.ready === '') return false
  if (text.original.length <= longText) return false
  const { tool_calls: calls = null, function_call: legacy = null } = text.message
  return calls === null && legacy === null && (chunk?.usage ?? null) === null
}

function writeFrame(frame: HeldFrame): Buffer[] {
  const { event, data, chunk, texts } = frame
  const named = event === 'message' ? {} : { event }
  const isSame = texts.every(({ done, ready, original }) => done && ready === original)
  if (chunk === undefined || (isSame && !frame.changed && !frame.partial)) return [encodeFrame({ ...named, data })]
  // The rest of a frame whose text was written in parts may be empty.
  if (frame.partial && texts.every(({ ready }) => ready === '')) return []
  for (const text of texts) {
    text.message[text.field] = text.ready
    text.ready = ''
  }
  const written = encodeFrame({ ...named, data: writeLike(data, chunk) })
  if (texts.some(({ done }) => !done)) {
    frame.partial = true
    for (const { message } of texts) delete message.role
  }
  return [written]
}
