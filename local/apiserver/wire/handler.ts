import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../auth/user.ts'
import { serveDocument } from '../documents/serve-document.ts'
import { ApiError, badRequest, failure, storageUnavailable, unauthorized } from '../json/api-error.ts'
import { decodePath, requestInfo } from '../rbac/request-info.ts'
import { JournalFailure } from '../storage/journal.ts'
import { send } from '../verbs/exchange.ts'
import { negotiate } from '../verbs/negotiate.ts'
import type { Exchange } from '../verbs/exchange.ts'
import type { NegotiatedForm } from '../verbs/negotiate.ts'
import { authorize } from './authorize-request.ts'
import { impersonated } from './impersonation.ts'
import { headerValues, requestTarget } from './request-target.ts'
import { serveResource } from './serve-resource.ts'
import type { Services } from './services.ts'

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const JSON_ONLY: NegotiatedForm = { yaml: false, as: '', version: '' }

interface Identities {
  /** The authenticated user. */
  readonly own: User
  /** The impersonated user, or the authenticated one. */
  readonly acting: User
}

async function authenticate(services: Services, request: IncomingMessage): Promise<Identities> {
  const user = await services.authenticator.authenticate(headerValues(request, 'authorization'))
  if (user === 'invalid') throw unauthorized()
  const own = user === 'anonymous' ? ANONYMOUS : user
  return { own, acting: impersonated(services.authorizer, request, own) }
}

/** Creates the request listener: authentication, authorization, routing, and a Status for every error. */
export function createHandler(services: Services): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    // A failure to respond closes one connection and never ends the process.
    serve(services, request, response).catch((error: unknown) => {
      logFailure(services, { method: request.method ?? '', path: 'unanswered' }, error)
      response.destroy()
    })
  }
}

function logFailure({ log }: Services, about: { method: string; path: string }, error: unknown): void {
  const { stack = String(error) } = error instanceof Error ? error : {}
  log('request failed unexpectedly', { ...about, stack })
}

async function serve(services: Services, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { path: rawUrl } = requestTarget(request)
  const [rawPath = '/', search = ''] = rawUrl.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  const path = decodePath(rawPath)
  const info = requestInfo(request.method ?? 'GET', path ?? '/', query)
  const auditID = auditIdOf(request)
  let exchange: Exchange = {
    request,
    response,
    query,
    info,
    user: ANONYMOUS,
    accept: JSON_ONLY,
    warnings: [],
    audited: {},
  }
  let user: User | undefined
  let authenticated: string | undefined
  const record = (code: number) => {
    const report = { authenticated, ...exchange.audited }
    services.audit.write({ auditID, now: services.now(), user, info, rawUrl, code, report })
  }
  response.setHeader('Audit-Id', auditID)
  response.once('error', () => response.destroy())
  try {
    if (path === undefined) throw badRequest('the path is not a valid URL encoding')
    const identities = await authenticate(services, request)
    user = identities.acting
    authenticated = identities.own.username
    exchange = { ...exchange, user }
    authorize(services, user, info)
    // Swagger has its own encoding.
    if (path !== '/openapi/v2') exchange = { ...exchange, accept: negotiate(request.headers.accept) }
    await (info.isResource ? serveResource(services, exchange) : serveDocument(services, exchange))
    record(response.statusCode)
  } catch (error) {
    const { code, status } = toApiError(error)
    exchange.audited.answer = status
    record(code)
    await answerFailure(services, exchange, error)
  }
}

// As in kube-apiserver: the client's id, or a new one.
function auditIdOf({ headers }: IncomingMessage): string {
  const given = headers['audit-id']
  return typeof given === 'string' && given !== '' ? given : randomUUID()
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof JournalFailure) return storageUnavailable(error.code)
  return failure({ code: 500, reason: 'InternalError', message: 'Internal error occurred' })
}

async function answerFailure(services: Services, exchange: Exchange, error: unknown): Promise<void> {
  const { request, response } = exchange
  // A client that disconnects during its body needs no response and no log line.
  if (request.destroyed && !request.complete) {
    response.destroy()
    return
  }
  const unexpected = !(error instanceof ApiError || error instanceof JournalFailure)
  if (unexpected) logFailure(services, { method: request.method ?? '', path: exchange.info.path }, error)
  const known = toApiError(error)
  // Too late for a status: the client must see a broken stream, not a truncated one that looks complete.
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  // An unread body makes the connection unusable for the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
  const retry = known.status.details?.retryAfterSeconds
  if (retry !== undefined) response.setHeader('Retry-After', String(retry))
  // Warnings of an unexpected failure are dropped: they may be its cause.
  await send(unexpected ? { ...exchange, warnings: [] } : exchange, known.code, known.status)
}
