import { randomUUID } from 'node:crypto'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import { chatToMessage, createMessageEvents } from '#core/model-apis/messages-answer.ts'
import type { EventTranslator } from '#core/model-apis/messages-answer.ts'
import { messagesToChat } from '#core/model-apis/messages-request.ts'
import { chatToResponse, createResponseEvents } from '#core/model-apis/responses-answer.ts'
import { responsesToChat } from '#core/model-apis/responses-request.ts'
import { invalid } from '../../model-calls/model-request.ts'
import type { ModelBody, ModelOperation } from '../../model-calls/model-request.ts'
import { anthropicErrors, openAiErrors } from './error-forms.ts'
import type { ErrorForm } from './error-forms.ts'

/** An API of the port: the gateway's own, or one that is translated to chat completions. */
export interface CallApi {
  readonly operation: ModelOperation
  readonly errors: ErrorForm
  /** Undefined: requests and answers pass as they are. */
  readonly translation?: Translation
}

/** Translates one API to chat completions and back. */
export interface Translation {
  /** Throws `InvalidRequest`. */
  request(body: ModelBody): ModelBody
  whole(completion: ModelBody): ModelBody
  events(): EventTranslator
}

/** APIs by the names of the port's routes. */
export const callApis = {
  chat: { operation: 'chat/completions', errors: openAiErrors },
  embeddings: { operation: 'embeddings', errors: openAiErrors },
  messages: {
    operation: 'chat/completions',
    errors: anthropicErrors,
    translation: {
      request: messagesToChat,
      whole: (completion) => chatToMessage(completion, messageId()),
      events: () => createMessageEvents(messageId()),
    },
  },
  responses: {
    operation: 'chat/completions',
    errors: openAiErrors,
    translation: {
      request: responsesToChat,
      whole: (completion) => chatToResponse(completion, responseHead()),
      events: () => createResponseEvents(responseHead()),
    },
  },
} as const satisfies Readonly<Record<string, CallApi>>

/** Translates a request. Throws `Refusal`. */
export function translateRequest({ request }: Translation, body: ModelBody): { body: ModelBody; bytes: Buffer } {
  try {
    const translated = request(body)
    return { body: translated, bytes: Buffer.from(JSON.stringify(translated)) }
  } catch (error) {
    throw error instanceof InvalidRequest ? invalid(error.message) : error
  }
}

function messageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

function responseHead() {
  return { id: randomUUID().replaceAll('-', ''), createdAt: Math.floor(Date.now() / 1000) }
}
