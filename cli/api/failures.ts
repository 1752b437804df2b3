import type { CollectedResponse } from '#core/http-client/request.ts'
import { isObject } from '#core/json/is-object.ts'
import { connectProblem } from '#core/net/connect-problem.ts'
import { ApiProblem } from '#cli/contract/api-problem.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiAccess } from '#cli/context/api-access.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { expiryOf } from './token-expiry.ts'

const CHECK_ADDRESS = 'Check the address: MESH_SERVER, or that of the context, which meshctl context list shows.'

/** The problem of a request without a response. */
export function connectionProblem(error: unknown, { server, ca }: ApiAccess, timeoutMs: number): CliProblem {
  const problem = connectProblem(error)
  if (problem?.kind === 'tls') {
    const hint = ca === undefined ? 'names the authority of a private certificate' : 'names another authority'
    return new CliProblem(
      `${server.origin}: ${problem.text}`,
      `meshctl context set --server URL --certificate-authority FILE ${hint}.`,
    )
  }
  if (problem !== undefined) return new CliProblem(`${server.origin} ${problem.text}`, CHECK_ADDRESS)
  const { name, code } = error as { readonly name?: string; readonly code?: string }
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return new CliProblem(
      `${server.origin} does not respond within ${timeoutMs / 1_000} s`,
      'Try again later; commands other than eval wait longer with --timeout.',
    )
  const why = error instanceof Error ? error.message : 'the request failed'
  return new CliProblem(toSafeText(`${server.origin}: ${why}`), CHECK_ADDRESS)
}

/** A response, and what was requested, such as `GET /api/runs`. */
export interface Responded {
  readonly response: CollectedResponse
  readonly title: string
}

/** The problem of a response that is an error. */
export function responseProblem(responded: Responded, access: ApiAccess, token: string): CliProblem {
  const { response } = responded
  const { status } = response
  if (status < 400) return notTheApi(responded, access)
  if (status === 401) return refusedToken(access, token)
  const problem = parseJson(response)
  if (!isObject(problem) || typeof problem.detail !== 'string') return notTheApi(responded, access)
  const { detail, code, traceId } = problem
  const notes = [status, code, typeof traceId === 'string' ? `trace ${traceId}` : undefined]
  const note = notes.filter((one) => typeof one === 'string' || typeof one === 'number').join(', ')
  return new ApiProblem(status, toSafeText(`${detail.slice(0, 2_000)} (${note})`), hintOf(problem, status))
}

/** The body of a response with a status below 300. */
export function readResponseBody(responded: Responded, access: ApiAccess): unknown {
  const body = parseJson(responded.response)
  if (body === undefined) throw notTheApi(responded, access)
  return body
}

/** The problem of JSON that the API does not send. */
export function unreadableResponse(title: string, { server }: ApiAccess): CliProblem {
  return new CliProblem(
    `${server.href} is not the API of mesh, or of another version: the response to ${title} lacks fields`,
    CHECK_ADDRESS,
  )
}

function refusedToken({ server, source }: ApiAccess, token: string): CliProblem {
  const expiry = expiryOf(token)
  const why = expiry !== undefined && expiry < new Date() ? `it expired at ${expiry.toISOString()}` : 'it is not valid'
  return new CliProblem(
    `${server.origin} refused the token of ${source}: ${why} (401)`,
    'Sign in to the cluster again.',
  )
}

// A proxy, or the server of something else.
function notTheApi({ response: { status, headers }, title }: Responded, { server }: ApiAccess): CliProblem {
  const type = toSafeText(String(headers['content-type'] ?? 'no content type').slice(0, 80))
  return new CliProblem(
    `${server.href} is not the API of mesh: the response to ${title} has the status ${status}, ${type}`,
    CHECK_ADDRESS,
  )
}

function parseJson({ body }: CollectedResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

const hints: Readonly<Record<number, string>> = {
  403: 'Ask for the right, or use the context of another user (--context).',
  404: 'Check the name and the namespace.',
}

function hintOf({ retryable }: Readonly<Record<string, unknown>>, status: number): string | undefined {
  return retryable === true ? 'Try again.' : hints[status]
}
