import { isObject } from '#core/json/is-object.ts'
import { parseBoundedJson } from '../http/bounded-json.ts'

/** An error response of the gateway, in OpenAI's form. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal'
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  constructor(
    status: number,
    message: string,
    more: {
      readonly code?: string | null
      readonly param?: string | null
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.status = status
    this.code = more.code ?? null
    this.param = more.param ?? null
    this.headers = more.headers ?? {}
  }
}

const maxMessage = 4000

/** Reads an error body of the gateway. */
export function toGatewayRefusal(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): GatewayRefusal {
  const error = errorIn(body)
  const { message } = error
  const text =
    typeof message === 'string' ? message.slice(0, maxMessage) : `The model gateway responded with ${status}.`
  return new GatewayRefusal(status, text, { code: textOf(error.code), param: textOf(error.param), headers })
}

function errorIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value = parseBoundedJson(body.toString('utf8'))
    return isObject(value) && isObject(value.error) ? value.error : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 256) : null
}
