import { Fail } from '#core/errors/domain-error.ts'
import type { FailedRequest } from '#core/http/problem/error-format.ts'
import { GatewayError } from './gateway-error.ts'

/** The served routes, for errors about other paths and methods. */
const served = [
  { method: 'POST', path: '/v1/chat/completions' },
  { method: 'POST', path: '/v1/responses' },
  { method: 'POST', path: '/v1/messages' },
  { method: 'POST', path: '/v1/messages/count_tokens' },
  { method: 'POST', path: '/v1/embeddings' },
  { method: 'GET', path: '/v1/models' },
  { method: 'GET', path: '/v1/models/{id}' },
] as const

const maxPath = 200

/** The error for a path or method that the gateway does not serve; it lists the served ones. */
export function unknownPath({ method = '', path = '' }: FailedRequest): unknown {
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
