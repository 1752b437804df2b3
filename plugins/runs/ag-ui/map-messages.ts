import { MAX_OPEN, readId } from './event.ts'
import type { AgUiEvent, Events, FrameData } from './event.ts'

const roles: ReadonlySet<unknown> = new Set(['developer', 'system', 'assistant', 'user'])

/** Maps messages of a run. Text is never sent twice: `sent` counts its UTF-16 code units. */
export interface MessageMapper {
  started(data: FrameData): Events
  /** A delta, or the whole text of a message so far. */
  text(data: FrameData): Events
  finished(data: FrameData): Events
  /** A whole message. */
  whole(messageId: string, text: string): Events
  closeAll(): Events
  readonly open: number
  /** Whether a message was sent since `closeAll`. */
  readonly any: boolean
}

/** Creates the mapper. */
export function createMessageMapper(): MessageMapper {
  const sent = new Map<string, number>()
  let any = false
  const start = (messageId: string, role: unknown): Events => {
    if (sent.has(messageId) || sent.size >= MAX_OPEN) return []
    sent.set(messageId, 0)
    any = true
    return [{ type: 'TEXT_MESSAGE_START', messageId, role: roles.has(role) ? role : 'assistant' }]
  }
  const content = (messageId: string, text: string, offset: number): Events => {
    const have = sent.get(messageId)
    if (have === undefined || offset > have) return []
    const delta = text.slice(have - offset)
    if (delta === '') return []
    sent.set(messageId, have + delta.length)
    return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }]
  }
  const end = (messageId: string): Events =>
    sent.delete(messageId) ? [{ type: 'TEXT_MESSAGE_END', messageId } satisfies AgUiEvent] : []
  const whole = (messageId: string, text: string, role?: unknown): Events => [
    ...start(messageId, role),
    ...content(messageId, text, 0),
    ...end(messageId),
  ]
  return {
    started: ({ messageId, role }) => {
      const id = readId(messageId)
      return id === undefined ? [] : start(id, role)
    },
    text: ({ messageId, text, offset }) => {
      const id = readId(messageId)
      if (id === undefined || typeof text !== 'string') return []
      return content(id, text, typeof offset === 'number' ? offset : (sent.get(id) ?? 0))
    },
    finished: ({ messageId, text, role }) => {
      const id = readId(messageId)
      return id === undefined ? [] : whole(id, typeof text === 'string' ? text : '', role)
    },
    whole,
    closeAll: () => {
      any = false
      return [...sent.keys()].flatMap(end)
    },
    get open() {
      return sent.size
    },
    get any() {
      return any
    },
  }
}
