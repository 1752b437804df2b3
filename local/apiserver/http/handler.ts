import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Authorizer, Reviews, User } from '../contract.ts'
import type { Kind } from '../objects/kind.ts'
import type { Kinds } from '../objects/kinds.ts'
import { checkName } from './write-decode.ts'
import {
  ApiError,
  badRequest,
  failure,
  methodNotAllowed,
  notFound,
  orThrow,
  qualified,
  unauthorized,
  unknownResource,
  verbNotSupported,
} from '../status.ts'
import { objectKey } from '../storage/store.ts'
import type { Store } from '../storage/store.ts'
import type { Audit } from './audit.ts'
import { removeCollection, removeObject } from './delete.ts'
import { REVIEWS, discovery } from './discovery.ts'
import { asKubeObject, negotiate, readObject, send } from './exchange.ts'
import type { Accepted, Exchange } from './exchange.ts'
import { impersonated } from './impersonation.ts'
import type { createOpenApi } from './openapi.ts'
import { servePodLog } from './pod-log.ts'
import type { PodLogReader } from './pod-log.ts'
import { getObject, listObjects } from './read.ts'
import { decodePath, requestInfo } from './request-info.ts'
import type { RequestInfo } from './request-info.ts'
import { serveScale } from './scale.ts'
import { createToken } from './service-account-token.ts'
import { VERSION } from './version.ts'
import { serveWatch } from './watch.ts'
import { patchObject } from './patch-write.ts'
import { createObject, replaceObject } from './write.ts'
import type { Answer, WriteContext } from './write.ts'

/** Everything a request may need; made once by the server. */
export interface Services {
  store: Store
  kinds: Kinds
  authenticator: Authenticator
  authorizer: Authorizer
  reviews: Reviews
  openApi: ReturnType<typeof createOpenApi>
  audit: Audit
  readPodLog: PodLogReader | undefined
  now: () => Date
  log: (line: string) => void
  closing: AbortSignal
  address: () => string
}

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const JSON_ONLY: Accepted = { yaml: false, as: '', version: '' }
const HEALTH = new Set(['/livez', '/readyz', '/healthz'])

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
    exchange = { ...exchange, accept: negotiate(request.headers.accept) }
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

function serveText({ response }: Exchange, code: number, text: string): void {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
  response.end(text)
}

const pathNotFound = (exchange: Exchange): void => serveText(exchange, 404, '404 page not found\n')

async function serveDocument(services: Services, exchange: Exchange): Promise<void> {
  const { info, accept } = exchange
  const path = info.path.length > 1 ? info.path.replace(/(?<!\/)\/+$/, '') : info.path
  if (HEALTH.has(path)) return serveHealth(services, exchange)
  if (path === '/version') return send(exchange, 200, VERSION)
  if (path === '/')
    return send(exchange, 200, {
      paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
    })
  const openApi = path === '/openapi/v2' || path.startsWith('/openapi/v3') ? services.openApi.find(path) : undefined
  if (openApi !== undefined) return send(exchange, 200, openApi)
  const wantsAggregated = accept.as === 'APIGroupDiscoveryList' && accept.version === 'v2'
  const found = discovery(services.kinds, path, wantsAggregated, services.address())
  if (!found && path.startsWith('/api/')) throw unknownResource()
  if (!found) return pathNotFound(exchange)
  if (wantsAggregated && (path === '/api' || path === '/apis')) {
    exchange.response.setHeader('X-Accepted-As', 'apidiscovery.k8s.io/v2')
    return sendAggregated(exchange, found)
  }
  return send(exchange, 200, found)
}

/** Clients tell the aggregated form from the old one by the content type of the answer. */
function sendAggregated({ response }: Exchange, document: object): void {
  const body = Buffer.from(JSON.stringify(document))
  const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, Vary: 'Accept' })
  response.end(body)
}

async function serveHealth(services: Services, exchange: Exchange): Promise<void> {
  const storage = await services.store.settled().then(
    () => true,
    () => false,
  )
  const lines = [
    '[+]ping ok',
    `[${storage ? '+' : '-'}]storage ${storage ? 'ok' : 'failed: the journal cannot be written'}`,
  ]
  const name = exchange.info.path.replaceAll('/', '')
  const verbose = exchange.query.has('verbose') || !storage
  serveText(
    exchange,
    storage ? 200 : 500,
    verbose ? `${lines.join('\n')}\n${name} check ${storage ? 'passed' : 'failed'}\n` : 'ok',
  )
}

async function serveResource(services: Services, exchange: Exchange): Promise<void> {
  const { info, request } = exchange
  const review = REVIEWS.find(
    (each) => each.group === info.group && each.resource === info.resource && info.version === 'v1',
  )
  if (review) return serveReview(services, exchange, review.kind)
  const kind = services.kinds.find(info.group, info.version, info.resource)
  if (!kind) {
    if (
      services.kinds.serves(info.group, info.version) &&
      !services.kinds.all.some((each) => each.group === info.group && each.custom)
    )
      throw unknownResource()
    return pathNotFound(exchange)
  }
  if (info.namespace === '.' || info.namespace === '..') {
    throw failure({ code: 500, message: `invalid key: ${JSON.stringify(`/${info.resource}/${info.namespace}`)}` })
  }
  const addressed = checkAddress(exchange, kind)
  if (!addressed) return pathNotFound(exchange)
  if (info.subresource) return serveSubresource(services, exchange, kind)
  if (info.verb === 'watch') return serveWatch(services.store, exchange, kind, services)
  if (info.verb === 'get' || info.verb === 'list') {
    await services.store.settled()
    const read = info.verb === 'get' ? getObject : listObjects
    return send(exchange, 200, read(services.store, exchange, kind, services.now()))
  }
  if (!kind.verbs.includes(info.verb))
    throw request.method === 'DELETE' ? methodNotAllowed() : verbNotSupported(kind, info.verb)
  const answer = await write(services, exchange, kind)
  return send(exchange, answer.code, answer.body)
}

/** Scope and name as the path gives them: false where the real server has no such path. */
function checkAddress({ info }: Exchange, kind: Kind): boolean {
  const listing = info.verb === 'list' || info.verb === 'watch'
  const named = info.name !== '' && !listing
  if (!listing || info.subresource) {
    // A write reads its body first, and finds the fault then.
    if (named && !['update', 'patch', 'delete'].includes(info.verb)) checkName(info.name)
  }
  if (!kind.namespaced) return info.namespace === '' || kind.storeId === '/namespaces'
  return info.namespace !== '' || listing
}

function write(services: Services, exchange: Exchange, kind: Kind): Promise<Answer> {
  const { info } = exchange
  const context: WriteContext = {
    store: services.store,
    now: services.now,
    checkEscalation: (user, object, old) => services.authorizer.checkEscalation(user, object, old),
  }
  if (info.verb === 'create') {
    if (info.name && !kind.custom) throw methodNotAllowed()
    return createObject(context, exchange, kind)
  }
  if (info.verb === 'deletecollection') return removeCollection(services.store, exchange, kind, services.now())
  if (!info.name) throw kind.custom ? badRequest('name must be provided') : methodNotAllowed()
  if (info.verb === 'delete') return removeObject(services.store, exchange, kind, services.now())
  if (info.verb === 'update') return replaceObject(context, exchange, kind)
  if (info.verb === 'patch') return patchObject(context, exchange, kind)
  throw methodNotAllowed()
}

async function serveSubresource(services: Services, exchange: Exchange, kind: Kind): Promise<void> {
  const { info } = exchange
  const { store } = services
  const subresource = kind.subresources.find((name) => name === info.subresource)
  if (!subresource || info.rest.length > 0) throw kind.custom ? notFound(kind, info.name) : unknownResource()
  await store.settled()
  if (subresource === 'log') {
    const pod = store.find(kind.storeId, objectKey(info.namespace, info.name))
    if (!pod) throw notFound(kind, info.name)
    if (info.verb !== 'get') throw methodNotAllowed()
    return servePodLog(exchange, pod.object, services.readPodLog, { now: services.now(), closing: services.closing })
  }
  if (info.verb === 'delete' && kind.custom) throw verbNotSupported(kind, 'delete')
  const answer = await answerSubresource(services, exchange, kind, subresource)
  return send(exchange, answer.code, answer.body)
}

function answerSubresource(
  services: Services,
  exchange: Exchange,
  kind: Kind,
  subresource: string,
): Promise<Answer> | Answer {
  const { verb } = exchange.info
  if (subresource === 'token') {
    if (verb !== 'create') throw methodNotAllowed()
    return createToken(services.store, services.authenticator, exchange)
  }
  if (verb === 'get' && subresource === 'status')
    return { code: 200, body: getObject(services.store, exchange, kind, services.now()) }
  if (verb !== 'update' && verb !== 'patch' && !(verb === 'get' && subresource === 'scale')) throw methodNotAllowed()
  return subresource === 'scale'
    ? serveScale(services.store, exchange, kind, services.now())
    : write(services, exchange, kind)
}

async function serveReview(services: Services, exchange: Exchange, kind: string): Promise<void> {
  const { info, user } = exchange
  if (info.verb !== 'create' || info.name) throw methodNotAllowed()
  const body = asKubeObject(await readObject(exchange, kind))
  return send(exchange, 201, orThrow(services.reviews.review(info.resource, body, user, info.namespace)))
}
