import { isObject } from '#core/json/is-object.ts'
import type { ErrorForm } from '#core/model-apis/error-forms.ts'
import type { Translation } from '#core/model-apis/translation.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { ModelResponseSink } from '#launcher/contract/calls/model-call.ts'
import type { ModelBody } from '#launcher/contract/calls/model-request.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'

/** Translates responses of chat completions on their way to `inner`. */
export function translatedSink(
  inner: ModelResponseSink,
  translation: Translation,
  errors: ErrorForm,
): ModelResponseSink {
  let write: (bytes: Buffer) => void | Promise<void> = () => undefined
  return {
    head(status, headers) {
      if (headers['content-type'] === 'text/event-stream') {
        const translate = frameTranslator(translation, errors)
        inner.head(status, headers)
        write = (frames) => inner.data(Buffer.concat([...framesIn(frames)].map(translate)))
        return
      }
      write = (bytes) => {
        const body = Buffer.from(JSON.stringify(translation.whole(parse(bytes.toString('utf8')))))
        inner.head(status, { ...headers, 'content-length': String(body.length) })
        return inner.data(body)
      }
    },
    data: (bytes) => write(bytes),
  }
}

function frameTranslator(translation: Translation, errors: ErrorForm): (frame: Buffer) => Buffer {
  const events = translation.events()
  return (frame) => {
    const data = frameData(frame)
    // Comments carry the cost.
    if (data === undefined) return frame
    if (data === '[DONE]') return events.end()
    const chunk = parse(data)
    if (!isObject(chunk.error)) return events.chunk(chunk)
    const { message, code } = chunk.error
    const text = typeof message === 'string' ? message : 'The model call failed.'
    const error = new GatewayRefusal(502, text, { code: typeof code === 'string' ? code : null })
    return errors.frame(error)
  }
}

function parse(text: string): ModelBody {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Falls through to the error below.
  }
  throw new GatewayRefusal(502, 'The response of the provider is not JSON.', { code: 'bad_gateway' })
}
