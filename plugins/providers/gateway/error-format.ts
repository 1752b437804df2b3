import { Fail } from '#core/errors/domain-error.ts'
import type { ErrorFormat, FailedRequest } from '#core/http/problem/error-format.ts'
import type { ProvidersSettings } from '../settings.ts'
import { GatewayError, toOpenAiError } from './openai-error.ts'

/** The served routes, for errors about other paths and methods. */
const served = [
  { method: 'POST', path: '/v1/chat/completions' },
  { method: 'POST', path: '/v1/embeddings' },
  { method: 'GET', path: '/v1/models' },
  { method: 'GET', path: '/v1/models/{id}' },
] as const

const maxPath = 200

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

function unknownPath({ method = '', path = '' }: FailedRequest): unknown {
  const pattern = path.startsWith('/v1/models/') && path !== '/v1/models/' ? '/v1/models/{id}' : path
  const allowed = served.filter((one) => one.path === pattern).map((one) => one.method)
  const shown = path.length > maxPath ? `${path.slice(0, maxPath)}...` : path
  if (allowed.length > 0)
    return new Fail('method_not_allowed', `${shown} does not support ${method}: use ${allowed.join(', ')}.`, {
      headers: { allow: allowed.join(', ') },
    })
  const list = served.map((one) => `${one.method} ${one.path}`).join(', ')
  return new GatewayError(404, 'not_found', `${method} ${shown} is not supported. Supported: ${list}.`)
}
