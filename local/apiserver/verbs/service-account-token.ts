import { ISSUER } from '../auth/authenticate.ts'
import type { Authenticator } from '../auth/authenticate.ts'
import { badRequest, invalid, notFound } from '../json/api-error.ts'
import { isObject, stringOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import { part } from '../json/kube-object.ts'
import type { Store } from '../storage/store.ts'
import { objectKey } from '../storage/stored.ts'
import { asKubeObject, readObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { WriteResponse } from './write.ts'

const REQUEST = { group: 'authentication.k8s.io', resource: 'tokenrequests', kind: 'TokenRequest' }
const DEFAULT_SECONDS = 3_600

function secondsOf(spec: JsonObject, name: string): number {
  const seconds = spec['expirationSeconds'] ?? DEFAULT_SECONDS
  const refuse = (why: string) => {
    const message = `Invalid value: ${JSON.stringify(seconds)}: ${why}`
    return invalid(REQUEST, name, [{ reason: 'FieldValueInvalid', message, field: 'spec.expirationSeconds' }])
  }
  if (typeof seconds !== 'number') throw refuse('must be an integer')
  if (seconds < 600) throw refuse('may not specify a duration less than 10 minutes')
  if (seconds > 2 ** 32) throw refuse('may not specify a duration larger than 2^32 seconds')
  return seconds
}

/** The object that a token is bound to; it must exist. */
function boundObject(store: Store, spec: JsonObject, namespace: string) {
  const given = spec['boundObjectRef']
  if (!isObject(given)) return undefined
  const reference = {
    kind: stringOf(given['kind']),
    apiVersion: stringOf(given['apiVersion']) || 'v1',
    name: stringOf(given['name']),
    uid: stringOf(given['uid']),
  }
  const resource = { Pod: 'pods', Secret: 'secrets' }[reference.kind]
  if (!resource)
    throw badRequest(
      `cannot bind token for serviceaccount to object of type ${reference.apiVersion}, Kind=${reference.kind}`,
    )
  const found = store.find(`/${resource}`, objectKey(namespace, reference.name))
  if (!found) throw notFound({ group: '', resource, kind: reference.kind }, reference.name)
  return { ...reference, uid: reference.uid || stringOf(found.object.metadata.uid) }
}

/** POST serviceaccounts/token: a signed token of the account. */
export async function createToken(
  store: Store,
  authenticator: Authenticator,
  exchange: Exchange,
): Promise<WriteResponse> {
  const { name, namespace } = exchange.info
  const body = asKubeObject({ ...(await readObject(exchange, 'TokenRequest')), metadata: {} })
  const account = store.find('/serviceaccounts', objectKey(namespace, name))
  if (!account) throw notFound({ group: '', resource: 'serviceaccounts', kind: 'ServiceAccount' }, name)
  const spec = part(body, 'spec')
  const asked = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : []
  const audiences = asked.length > 0 ? asked : [ISSUER]
  const expirationSeconds = secondsOf(spec, name)
  const bound = boundObject(store, spec, namespace)
  const { uid = '', creationTimestamp } = account.object.metadata
  const issued = await authenticator.issue({
    serviceAccount: { namespace, name, uid },
    audiences,
    expirationSeconds,
    ...(bound ? { boundObjectRef: bound } : {}),
  })
  const answered = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp },
    spec: { audiences, expirationSeconds, boundObjectRef: bound ?? null },
    status: { token: issued.token, expirationTimestamp: issued.expirationTimestamp },
  }
  return { code: 201, body: answered }
}
