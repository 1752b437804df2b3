import { randomUUID } from 'node:crypto'
import { chatToMessage, createMessageEvents } from './messages-response.ts'
import type { EventTranslator } from './messages-response.ts'
import { messagesToChat } from './messages-request.ts'
import { chatToResponse, createResponseEvents } from './responses-response.ts'
import type { ResponseHead } from './responses-response.ts'
import { responsesToChat } from './responses-request.ts'

type Json = Readonly<Record<string, unknown>>

/** Translates one API to chat completions and back. */
export interface Translation {
  /** Throws `InvalidRequest`. A stream requests its usage. */
  request(body: Json): Json
  whole(completion: Json): Json
  events(): EventTranslator
}

/** Anthropic's Messages API. */
export const messagesTranslation: Translation = {
  request: messagesToChat,
  whole: (completion) => chatToMessage(completion, messageId()),
  events: () => createMessageEvents(messageId()),
}

/** OpenAI's Responses API, without stored responses. */
export const responsesTranslation: Translation = {
  request: responsesToChat,
  whole: (completion) => chatToResponse(completion, responseHead()),
  events: () => createResponseEvents(responseHead()),
}

function messageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

function responseHead(): ResponseHead {
  return { id: randomUUID().replaceAll('-', ''), createdAt: Math.floor(Date.now() / 1000) }
}
