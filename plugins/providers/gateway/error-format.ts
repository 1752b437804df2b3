import type { ErrorFormat, FailedRequest } from '#core/http/problem/error-format.ts'
import type { ProvidersSettings } from '../settings.ts'
import { GatewayError, toOpenAiError } from './openai-error.ts'
import { unknownPath } from './unknown-path.ts'

/** Formats every error of the gateway's listener for OpenAI's SDKs. */
export function createErrorFormat({ bodyLimit }: Pick<ProvidersSettings, 'bodyLimit'>): ErrorFormat {
  return {
    role: 'gateway',
    write(error, request) {
      const { status, headers, body } = toOpenAiError(explain(error, request, bodyLimit))
      return { status, headers, contentType: 'application/json', body: JSON.stringify(body) }
    },
  }
}

function explain(error: unknown, request: FailedRequest, bodyLimit: number): unknown {
  const { code } = toOpenAiError(error).body.error
  if ((request.isUnknown && code === 'not_found') || code === 'method_not_allowed') return unknownPath(request)
  if (code === 'payload_too_large')
    return new GatewayError(413, code, `The request body is larger than ${bodyLimit} bytes (providers.bodyLimit).`)
  if (code === 'unsupported_media_type') return new GatewayError(415, code, 'Content-Type must be application/json.')
  return error
}
