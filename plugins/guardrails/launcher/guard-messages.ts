import { isObject } from '#core/json/is-object.ts'
import { chatToMessage, createMessageEvents } from '#core/model-apis/messages-response.ts'
import { createChatChunks, messageToChat } from '#core/model-apis/messages-to-chat-response.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { ResponseFilter } from '#launcher/contract/calls/model-filter.ts'

type Json = Readonly<Record<string, unknown>>

const options = { thinking: true } as const
const nothing = Buffer.alloc(0)

/**
 * Applies rules to messages of Anthropic's API: messages are translated to chat completions for the rules, and back. Blocks that cannot be translated
 * are dropped.
 */
export function guardMessages(inner: ResponseFilter): ResponseFilter {
  const created = Math.floor(Date.now() / 1000)
  const chunks = createChatChunks(created, options)
  let events: ReturnType<typeof createMessageEvents> | undefined
  const back = (frames: Buffer): Buffer =>
    Buffer.concat(
      [...framesIn(frames)].map((frame) => {
        const data = frameData(frame)
        return data === undefined ? frame : (events?.chunk(parse(data)) ?? nothing)
      }),
    )
  const guard = async (event: Json): Promise<Buffer> => {
    const frames = chunks.event(event).filter((data) => data !== '[DONE]')
    if (frames.length === 0) return nothing
    return back(await inner.frames(Buffer.concat(frames.map((data) => encodeFrame({ data })))))
  }
  return {
    async frames(whole) {
      const out: Buffer[] = []
      for (const frame of framesIn(whole)) {
        const data = frameData(frame)
        const event = data === undefined ? undefined : parse(data)
        if (event === undefined) out.push(frame)
        else if (event.type === 'error') {
          // Throws if a rule of the gateway stopped the response.
          await inner.frames(encodeFrame({ data: JSON.stringify(event) }))
          out.push(frame)
        } else {
          events ??= createMessageEvents(idOf(event.message))
          out.push(await guard(event))
        }
      }
      return Buffer.concat(out)
    },
    async end() {
      const rest = [await guard({ type: 'message_stop' }), back(await inner.end())]
      // The meter receives the event that ends the stream.
      const last = [...framesIn(events?.end() ?? nothing)].slice(0, -1)
      return Buffer.concat([...rest, ...last])
    },
    async whole(bytes) {
      const message = parse(bytes.toString('utf8'))
      const chat = Buffer.from(JSON.stringify(messageToChat(message, created, options)))
      const guarded = parse((await inner.whole(chat)).toString('utf8'))
      return Buffer.from(JSON.stringify(chatToMessage(guarded, idOf(message))))
    },
  }
}

function idOf(message: unknown): string {
  return isObject(message) && typeof message.id === 'string' ? message.id : ''
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Falls through to the error below.
  }
  throw new GatewayRefusal(502, 'The response of the provider is not JSON.', { code: 'bad_gateway' })
}
