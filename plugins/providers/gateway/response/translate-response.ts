import { isObject } from '#core/json/is-object.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { CallerApi } from '../request/caller-api.ts'
import { callErrorOf, GatewayError } from '../errors/gateway-error.ts'

type Json = Readonly<Record<string, unknown>>

/** Translates a response on its way to the client. */
export interface ResponseTranslator {
  /** Returns the bytes that can be written. Throws `GatewayError` for a response in an unknown format. */
  push(chunk: Buffer): Buffer
  /** Returns the rest, at the end of a complete response. */
  end(): Buffer
}

const nothing = Buffer.alloc(0)
const maxWhole = 32 * 1024 * 1024
const maxMessage = 1000

/** Creates a translator of a chat completion to the API of the caller; undefined if no translation is needed. */
export function createResponseTranslator(api: CallerApi, streamed: boolean): ResponseTranslator | undefined {
  if (api.translation === undefined) return undefined
  return streamed ? streamTranslator(api) : wholeTranslator(api)
}

function wholeTranslator({ translation }: CallerApi): ResponseTranslator {
  const whole = holdWhole()
  return {
    push: whole.push,
    end() {
      const completion = parse(whole.end().toString('utf8'))
      if (!Array.isArray(completion.choices)) throw unreadable('is not a chat completion')
      return Buffer.from(`${JSON.stringify(translation?.whole(completion))}\n`)
    },
  }
}

/** Holds a response back until it is complete, and changes nothing. */
export function holdWhole(): ResponseTranslator {
  const chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.length
      if (size > maxWhole) throw unreadable(`is larger than ${maxWhole} bytes`)
      chunks.push(Buffer.from(chunk))
      return nothing
    },
    end: () => Buffer.concat(chunks),
  }
}

function streamTranslator({ translation, errors }: CallerApi): ResponseTranslator {
  const events = translation?.events()
  let out: Buffer[] = []
  let ended = false
  const finish = (last: Buffer = nothing): void => {
    ended = true
    // Without a single chunk there is no event that could end the stream.
    out.push(last.length > 0 ? last : errors.frame(callErrorOf(unreadable('is empty'))))
  }
  const parser = createSseParser(({ data }) => {
    if (ended) return
    if (data === '[DONE]') return finish(events?.end())
    const chunk = parse(data)
    if (isObject(chunk.error)) return finish(errors.frame(callErrorOf(failureIn(chunk.error))))
    out.push(events?.chunk(chunk) ?? nothing)
  })
  const take = (): Buffer => {
    const ready = Buffer.concat(out)
    out = []
    return ready
  }
  return {
    push(chunk) {
      parser.push(chunk)
      return take()
    },
    end() {
      if (!ended) finish(events?.end())
      return take()
    },
  }
}

function failureIn({ message, code }: Json): GatewayError {
  const text = typeof message === 'string' ? message.slice(0, maxMessage).toWellFormed() : 'The model call failed.'
  return new GatewayError(502, typeof code === 'string' ? code.slice(0, 256) : 'bad_gateway', text)
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Falls through to the error below.
  }
  throw unreadable('is not a JSON object')
}

function unreadable(why: string): GatewayError {
  return new GatewayError(502, 'bad_gateway', `The response of the provider ${why}.`)
}
