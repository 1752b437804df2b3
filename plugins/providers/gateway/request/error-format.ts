import type { ErrorFormat, FailedRequest } from '#core/http/problem/error-format.ts'
import type { ProvidersSettings } from '../../contract/settings.ts'
import { errorsOfPath } from './caller-api.ts'
import { callErrorOf, GatewayError } from '../errors/gateway-error.ts'
import { unknownPath } from '../errors/unknown-path.ts'

/** Formats every error of the gateway's listener for the SDKs of the API that the path belongs to. */
export function createErrorFormat({ bodyLimit }: Pick<ProvidersSettings, 'bodyLimit'>): ErrorFormat {
  return {
    role: 'gateway',
    write(error, request) {
      const failed = callErrorOf(explain(error, request, bodyLimit))
      const body = JSON.stringify(errorsOfPath(request.path).body(failed))
      return { status: failed.status, headers: failed.headers, contentType: 'application/json', body }
    },
  }
}

function explain(error: unknown, request: FailedRequest, bodyLimit: number): unknown {
  const { code } = callErrorOf(error)
  if ((request.isUnknown && code === 'not_found') || code === 'method_not_allowed') return unknownPath(request)
  if (code === 'payload_too_large')
    return new GatewayError(413, code, `The request body is larger than ${bodyLimit} bytes (providers.bodyLimit).`)
  if (code === 'unsupported_media_type') return new GatewayError(415, code, 'Content-Type must be application/json.')
  return error
}
