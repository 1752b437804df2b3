import { pathNotFound } from '../documents/serve-document.ts'
import {
  badRequest,
  methodNotAllowed,
  notFound,
  orThrow,
  unknownResource,
  verbNotSupported,
} from '../json/api-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { REVIEWS } from '../reviews/review-kinds.ts'
import { objectKey } from '../storage/stored.ts'
import { removeCollection, removeObject } from '../verbs/delete.ts'
import { asKubeObject, readObject, send } from '../verbs/exchange.ts'
import type { Exchange } from '../verbs/exchange.ts'
import { patchObject } from '../verbs/patch.ts'
import { servePodLog } from '../verbs/pod-log.ts'
import { getObject, listObjects } from '../verbs/read.ts'
import { serveScale } from '../verbs/scale.ts'
import { createToken } from '../verbs/service-account-token.ts'
import { serveWatch } from '../verbs/watch.ts'
import { createObject, replaceObject } from '../verbs/write.ts'
import type { WriteResponse, WriteContext } from '../verbs/write.ts'
import { authorize } from './authorize-request.ts'
import type { Services } from './services.ts'
import { checkPath } from './check-path.ts'

/** Routes a request to a verb, a subresource or a review. */
export async function serveResource(services: Services, exchange: Exchange): Promise<void> {
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
  if (kind.deprecation !== undefined) exchange.warnings.push(kind.deprecation)
  if (!checkPath(exchange, kind)) {
    if (kind.custom) return pathNotFound(exchange)
    throw unknownResource()
  }
  if (info.subresource) return serveSubresource(services, exchange, kind)
  if (info.verb === 'watch') return serveWatch(services.store, exchange, kind, services)
  if (info.verb === 'get' || info.verb === 'list') {
    const read = info.verb === 'get' ? getObject : listObjects
    return send(exchange, 200, await readDurable(services, () => read(services.store, exchange, kind, services.now())))
  }
  if (!kind.verbs.includes(info.verb))
    throw request.method === 'DELETE' ? methodNotAllowed() : verbNotSupported(kind, info.verb)
  const answer = await write(services, exchange, kind)
  exchange.audited.answer = answer.body
  return send(exchange, answer.code, answer.body)
}

/** Reads from memory and returns once the state is durable; repeats the read if a write was undone. */
async function readDurable<T>({ store }: Services, read: () => T): Promise<T> {
  for (;;) {
    const result = read()
    if (await store.settled()) return result
  }
}

function writeContext(services: Services, { info, user: caller }: Exchange): WriteContext {
  return {
    store: services.store,
    now: services.now,
    checkEscalation: (user, object, old) => services.authorizer.checkEscalation(user, object, old),
    authorizeCreate: () => authorize(services, caller, { ...info, verb: 'create' }),
  }
}

function write(services: Services, exchange: Exchange, kind: Kind): Promise<WriteResponse> {
  const { info } = exchange
  const context = writeContext(services, exchange)
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
  if (!subresource) throw kind.custom ? notFound(kind, info.name) : unknownResource()
  // Paths below a subresource: kube-apiserver checks them for built-in kinds only.
  if (info.rest.length > 0 && !kind.custom) throw unknownResource()
  if (subresource === 'log') {
    await store.settled()
    const pod = store.find(kind.storeId, objectKey(info.namespace, info.name))
    if (!pod) throw notFound(kind, info.name)
    if (info.verb !== 'get') throw methodNotAllowed()
    return servePodLog(exchange, pod.object, services.readPodLog, { now: services.now(), closing: services.closing })
  }
  if ((info.verb === 'delete' || info.verb === 'create') && kind.custom) throw verbNotSupported(kind, info.verb)
  const answer = await answerSubresource(services, exchange, kind, subresource)
  if (subresource !== 'token') exchange.audited.answer = answer.body
  return send(exchange, answer.code, answer.body)
}

async function answerSubresource(
  services: Services,
  exchange: Exchange,
  kind: Kind,
  subresource: string,
): Promise<WriteResponse> {
  const { verb } = exchange.info
  if (subresource === 'token') {
    if (verb !== 'create') throw methodNotAllowed()
    return createToken(services.store, services.authenticator, exchange)
  }
  if (verb === 'get' && subresource === 'status')
    return {
      code: 200,
      body: await readDurable(services, () => getObject(services.store, exchange, kind, services.now())),
    }
  if (verb !== 'update' && verb !== 'patch' && !(verb === 'get' && subresource === 'scale')) throw methodNotAllowed()
  return subresource === 'scale'
    ? serveScale(writeContext(services, exchange), exchange, kind)
    : write(services, exchange, kind)
}

async function serveReview(services: Services, exchange: Exchange, kind: string): Promise<void> {
  const { info, user } = exchange
  if (info.verb !== 'create' || info.name) throw methodNotAllowed()
  const body = asKubeObject(await readObject(exchange, kind))
  return send(exchange, 201, orThrow(await services.reviews.review(info.resource, body, user, info.namespace)))
}
