import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../contract.ts'
import { ApiError, badRequest, failure, qualified, unauthorized } from '../status.ts'
import { serveDocument } from './documents.ts'
import { negotiate, send } from './exchange.ts'
import type { Accepted, Exchange } from './exchange.ts'
import { impersonated } from './impersonation.ts'
import { decodePath, requestInfo } from './request-info.ts'
import type { RequestInfo } from './request-info.ts'
import { serveResource } from './resources.ts'
import type { Services } from './services.ts'

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const JSON_ONLY: Accepted = { yaml: false, as: '', version: '' }
/** Raw values of a header, each as it came: Node keeps only the first Authorization. */
function rawValues(request: IncomingMessage, name: string): string[] {
  return request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name)
}

function authenticate(services: Services, request: IncomingMessage): User {
  const user = services.authenticator.authenticate(rawValues(request, 'authorization'))
  if (user === 'invalid') throw unauthorized()
  return impersonated(services.authorizer, request, user === 'anonymous' ? ANONYMOUS : user)
}

function where(info: RequestInfo): string {
  return info.namespace ? `in the namespace ${JSON.stringify(info.namespace)}` : 'at the cluster scope'
}

function authorize(services: Services, user: User, info: RequestInfo): void {
  const { verb, group, version, resource, subresource, namespace, name, path, isResource } = info
  const attributes = { verb, group, version, resource, subresource, namespace, name, ...(isResource ? {} : { path }) }
  const { allowed, reason } = services.authorizer.authorize(user, attributes)
  if (allowed) return
  const who = `User ${JSON.stringify(user.username)} cannot`
  const why = reason ? `: ${reason}` : ''
  if (!isResource) {
    const message = `forbidden: ${who} ${verb} path ${JSON.stringify(path)}${why}`
    throw failure({ code: 403, reason: 'Forbidden', message, details: {} })
  }
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource)
  const details = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: resource }
  const subject = `${qualified(group, resource)}${name ? ` ${JSON.stringify(name)}` : ''}`
  const message = `${subject} is forbidden: ${who} ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where(info)}${why}`
  throw failure({ code: 403, reason: 'Forbidden', message, details })
}

/** Makes the request listener: authentication, authorization, routing, one Status for whatever goes wrong. */
export function createHandler(services: Services): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void serve(services, request, response)
  }
}

async function serve(services: Services, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rawUrl = request.url ?? '/'
  const [rawPath = '/', search = ''] = rawUrl.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  const path = decodePath(rawPath)
  const info = requestInfo(request.method ?? 'GET', path ?? '/', query)
  const auditID = randomUUID()
  let exchange: Exchange = { request, response, query, info, user: ANONYMOUS, accept: JSON_ONLY, warnings: [] }
  let user: User | undefined
  const record = (code: number) => services.audit.write({ auditID, now: services.now(), user, info, rawUrl, code })
  response.setHeader('Audit-Id', auditID)
  response.once('error', () => response.destroy())
  try {
    if (path === undefined) throw badRequest('the path is not a valid URL encoding')
    user = authenticate(services, request)
    exchange = { ...exchange, user }
    authorize(services, user, info)
    // Swagger comes in one encoding, which nothing else comes in.
    if (path !== '/openapi/v2') exchange = { ...exchange, accept: negotiate(request.headers.accept) }
    await (info.isResource ? serveResource(services, exchange) : serveDocument(services, exchange))
    record(response.statusCode)
  } catch (error) {
    record(error instanceof ApiError ? error.code : 500)
    await answerFailure(services, exchange, error)
  }
}

async function answerFailure(services: Services, exchange: Exchange, error: unknown): Promise<void> {
  const { request, response } = exchange
  if (!(error instanceof ApiError))
    services.log(`${request.method} ${exchange.info.path}: ${error instanceof Error ? error.stack : String(error)}`)
  const known =
    error instanceof ApiError
      ? error
      : failure({ code: 500, reason: 'InternalError', message: 'Internal error occurred' })
  // Too late for a status: the client must see a broken stream, not a short one that looks whole.
  if (response.headersSent || response.destroyed) return void response.destroy()
  // A body that was not read makes the connection useless for the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
  const retry = known.status.details?.retryAfterSeconds
  if (retry !== undefined) response.setHeader('Retry-After', String(retry))
  await send(exchange, known.code, known.status)
}
