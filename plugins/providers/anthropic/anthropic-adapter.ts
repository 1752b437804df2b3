import { isObject } from '#core/json/is-object.ts'
import { chatToMessages } from '#plugins/providers/model-apis/chat-to-messages.ts'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import { createChatChunks, messageToChat } from '#core/model-apis/messages-to-chat-response.ts'
import type { ToChatOptions } from '#core/model-apis/messages-to-chat-response.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { ModelAdapter, ProviderCall, ResponseSink } from '../contract/adapter.ts'
import { readListedModels } from '../upstream/listed-models.ts'
import { GatewayError } from '../gateway/errors/gateway-error.ts'
import type { ProviderClient } from '../upstream/provider-client.ts'
import { passResponse } from './pass-response.ts'
import type { ProviderResponse } from './pass-response.ts'

const apiVersion = '2023-06-01'
const maxWhole = 32 * 1024 * 1024

/** Client for providers with Anthropic's Messages API: chat completions are translated to it and back (ADR 0091). */
export function createAnthropicAdapter(client: ProviderClient): ModelAdapter {
  return {
    type: 'anthropic',
    passesMessages: true,
    async send(call, sink) {
      const { messages } = call
      const body = messages === undefined ? toRequest(call) : call.body
      const answer =
        messages === undefined || messages.answer === 'chat'
          ? createAnswer(sink, { thinking: messages !== undefined })
          : passResponse(sink)
      const headers: Record<string, string> = {
        ...credentialsOf(call.key),
        ...(messages?.betas === undefined ? {} : { 'anthropic-beta': messages.betas }),
      }
      const path = messages?.answer === 'tokens' ? 'messages/count_tokens' : 'messages'
      await client.post(call, { path, headers, body }, answer.sink)
      await answer.end()
    },
    listModels: async ({ key, get }) => readListedModels(await get('models?limit=1000', credentialsOf(key))),
  }
}

function credentialsOf(key: string | undefined): Record<string, string> {
  return { 'anthropic-version': apiVersion, ...(key === undefined ? {} : { 'x-api-key': key }) }
}

function toRequest({ operation, body }: ProviderCall): object {
  try {
    if (operation === 'chat/completions') return chatToMessages(body)
  } catch (error) {
    if (error instanceof InvalidRequest) throw refused(`${error.message}.`, error.field)
    throw error
  }
  throw refused('The provider of this model has no embeddings.', 'model')
}

function refused(message: string, param: string): GatewayError {
  return new GatewayError(400, 'provider_refused', message, { param, reason: 'request_refused' })
}

// Errors are passed unchanged: the gateway reads their status and message.
function createAnswer(sink: ResponseSink, options: ToChatOptions): ProviderResponse {
  let reader: TranslatedReader | undefined
  let head: (() => void) | undefined
  return {
    sink: {
      head(status, contentType, retryAfter) {
        const isAnswer = status >= 200 && status <= 299
        const isStream = contentType.startsWith('text/event-stream')
        if (isAnswer) reader = isStream ? streamReader(options) : wholeReader(options)
        // A document may be unreadable until it is complete; another provider can then answer.
        if (isAnswer && !isStream) head = () => sink.head(status, contentType, retryAfter)
        else sink.head(status, contentType, retryAfter)
      },
      data(chunk) {
        const bytes = reader === undefined ? chunk : reader.push(chunk)
        return bytes.length === 0 ? undefined : sink.data(bytes)
      },
    },
    async end() {
      if (reader === undefined) return
      const rest = reader.end()
      head?.()
      if (rest.length > 0) await sink.data(rest)
    },
  }
}

interface TranslatedReader {
  push(chunk: Buffer): Buffer
  /** Returns the rest. Throws if the response is incomplete. */
  end(): Buffer
}

function wholeReader(options: ToChatOptions): TranslatedReader {
  const chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.length
      if (size > maxWhole) throw new Error(`response above ${maxWhole} bytes`)
      chunks.push(Buffer.from(chunk))
      return Buffer.alloc(0)
    },
    end() {
      const message = parse(Buffer.concat(chunks).toString('utf8'))
      return Buffer.from(`${JSON.stringify(messageToChat(message, now(), options))}\n`)
    },
  }
}

function streamReader(options: ToChatOptions): TranslatedReader {
  const chunks = createChatChunks(now(), options)
  let out: Buffer[] = []
  const parser = createSseParser(({ data }) => {
    for (const chunk of chunks.event(parse(data))) out.push(encodeFrame({ data: chunk }))
  })
  return {
    push(chunk) {
      parser.push(chunk)
      const ready = Buffer.concat(out)
      out = []
      return ready
    },
    end() {
      if (!chunks.ended()) throw new Error('the stream has no message_stop')
      return Buffer.alloc(0)
    },
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  if (isObject(value)) return value
  throw new Error('the response is not a JSON object')
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
