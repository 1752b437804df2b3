import { createSseParser } from '#core/sse/parser.ts'
import type { ParsedEvent } from '#core/sse/parser.ts'
import type { CallFilters } from '../call-filters.ts'
import { heldTooMuch, unreadableResponse } from './response-error.ts'
import type { ResponseReader } from './response-reader.ts'
import { ChoiceFilter } from './choice-filter.ts'
import { HeldFrames } from './held-frames.ts'
import type { HeldFrame } from './held-frames.ts'
import { callParts, choicesOf, messageOf, removeUnseen, textFields } from './message-parts.ts'
import type { ResponsePart } from './message-parts.ts'

const maxChoices = 128

/** Filters a stream: frames are written in their order, each when its texts and tool calls have passed the filters. */
export function createStreamFilter(filters: CallFilters, limit: number): ResponseReader {
  const frames = new HeldFrames()
  const choices = new Map<number, ChoiceFilter>()
  let events: ParsedEvent[] = []
  let unread = 0
  const tooLarge = (): Error => heldTooMuch(limit)
  const parser = createSseParser(
    (event) => {
      events.push(event)
      unread += event.data.length
    },
    { maxEventSize: limit, tooLarge },
  )
  const finish = async (): Promise<void> => {
    for (const choice of choices.values()) await choice.finish()
  }
  const choiceOf = (index: unknown): ChoiceFilter => {
    const key = typeof index === 'number' ? index : 0
    const choice = choices.get(key) ?? new ChoiceFilter(filters, key)
    choices.set(key, choice)
    if (choices.size > maxChoices) throw unreadableResponse()
    return choice
  }
  const read = async ({ event, data }: ParsedEvent): Promise<void> => {
    const frame = toFrame(event, data)
    if (frame.chunk === undefined) await finish()
    frames.add(frame)
    for (const part of frame.chunk === undefined ? [] : choicesOf(frame.chunk))
      await readChoice(frame, part, { filters, choice: choiceOf(part.index) })
  }
  const take = async (): Promise<Buffer> => {
    const due = events
    events = []
    unread = 0
    for (const event of due) await read(event)
    for (const choice of choices.values()) await choice.advance()
    return Buffer.concat(frames.take())
  }
  return {
    push(chunk) {
      // Data that arrives at once may be released at once, so it does not count before it is read.
      if (unread + frames.size > limit) throw tooLarge()
      parser.push(chunk)
    },
    take,
    async end() {
      const ready = await take()
      await finish()
      return Buffer.concat([ready, ...frames.take()])
    },
  }
}

function toFrame(event: string, data: string): HeldFrame {
  const chunk = data === '[DONE]' ? undefined : parse(data)
  const choices = chunk === undefined ? [] : choicesOf(chunk)
  // A first frame may have neither text nor usage, such as a frame with a role only.
  const hasContent = chunk === undefined || (choices.length === 0 && (chunk.usage ?? chunk.error ?? null) !== null)
  return { event, data, chunk, texts: [], hasContent, waiting: 0, changed: false, partial: false }
}

function parse(data: string): ResponsePart {
  try {
    return JSON.parse(data) as ResponsePart
  } catch {
    throw unreadableResponse()
  }
}

interface Reading {
  readonly filters: CallFilters
  readonly choice: ChoiceFilter
}

async function readChoice(frame: HeldFrame, part: ResponsePart, { filters, choice }: Reading): Promise<void> {
  const delta = messageOf(part, 'delta')
  if (filters.seesText && removeUnseen(part, delta, 'delta')) frame.changed = true
  for (const field of textFields(delta)) {
    const original = String(delta[field])
    if (original === '') continue
    frame.hasContent = true
    if (!filters.seesText) continue
    const text = { message: delta, field, original, ready: '', done: false }
    frame.texts.push(text)
    await choice.text(field, text)
  }
  const calls = callParts(delta)
  if (calls.length > 0) {
    frame.hasContent = true
    await choice.calls(frame, calls)
  }
  if ((part.finish_reason ?? null) === null) return
  frame.hasContent = true
  await choice.finish()
}
