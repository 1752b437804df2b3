import { hash, randomUUID } from 'node:crypto'
import { isObject, stringsOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { ObjectReader } from '../storage/object-reader.ts'
import { loadIssuerKey, signToken } from './jwt.ts'
import type { StaticToken, User } from './user.ts'
import { createClaimsReader } from './verified-tokens.ts'

/** Content of a TokenRequest. */
export interface TokenIssue {
  serviceAccount: { namespace: string; name: string; uid: string }
  audiences: readonly string[]
  expirationSeconds: number
  boundObjectRef?: { kind: string; apiVersion: string; name: string; uid: string }
}

/** `status` of a TokenReview. */
export type TokenReviewStatus = {
  authenticated?: boolean
  user?: { username: string; uid?: string; groups?: string[]; extra?: { [key: string]: string[] } }
  audiences?: string[]
  error?: string
}

/** Authenticates bearer tokens, issues and reviews service account tokens. */
export interface Authenticator {
  /** All values of the Authorization header: none is anonymous, anything not accepted is invalid. */
  authenticate(authorizationHeaderValues: readonly string[]): Promise<User | 'anonymous' | 'invalid'>
  issue(request: TokenIssue): Promise<{ token: string; expirationTimestamp: string }>
  review(token: string, audiences: readonly string[]): Promise<TokenReviewStatus>
}

/** Options of `createAuthenticator`; `keyFile` holds the issuer's key and is created with mode 0600 if absent. */
export interface AuthenticatorOptions {
  tokens: readonly StaticToken[]
  keyFile: string
  now: () => Date
  objects: ObjectReader
}

/** Issuer and default audience of service account tokens, as in a real cluster. */
export const ISSUER = 'https://kubernetes.default.svc'

const INVALID = 'invalid bearer token'
const EXTRA = 'authentication.kubernetes.io'

type Checked = { user: User; audiences: string[] } | { error: string }

/** Authenticates static tokens and issued service account tokens. A token is checked against the objects at every request. */
export function createAuthenticator({ tokens, keyFile, now, objects }: AuthenticatorOptions): Authenticator {
  const key = loadIssuerKey(keyFile)
  // Looked up by digest: the time of a lookup must not depend on a common prefix with a valid token.
  const known = new Map(tokens.map((each) => [digest(each.token), each]))
  const readClaims = createClaimsReader(key)
  const check = async (token: string, audiences: readonly string[]): Promise<Checked> => {
    const id = digest(token)
    const persona = known.get(id)
    if (persona) {
      const { username, uid, groups } = persona
      const user = { username, ...(uid === undefined ? {} : { uid }), groups: [...groups, 'system:authenticated'] }
      return audiences.includes(ISSUER) ? { user, audiences: [ISSUER] } : { error: INVALID }
    }
    const claims = await readClaims(token, id, secondsOf(now()))
    // Checked after the wait, with the current state: a deleted account is refused.
    return claims ? checkClaims(claims, { audiences, seconds: secondsOf(now()), objects }) : { error: INVALID }
  }
  return {
    async authenticate(values) {
      if (values.length === 0) return 'anonymous'
      const token = values.length === 1 ? bearerOf(values[0] ?? '') : undefined
      if (token === undefined) return 'invalid'
      if (token === '') return 'anonymous'
      const checked = await check(token, [ISSUER])
      return 'user' in checked ? checked.user : 'invalid'
    },
    async issue(request) {
      const seconds = Math.floor(now().getTime() / 1000)
      const exp = seconds + request.expirationSeconds
      const token = await signToken(toClaims(request, seconds, exp), key)
      return { token, expirationTimestamp: new Date(exp * 1000).toISOString().replace('.000Z', 'Z') }
    },
    async review(token, audiences) {
      const checked = await check(token, audiences.length > 0 ? audiences : [ISSUER])
      if ('error' in checked) return { user: { username: '' }, error: checked.error }
      return { authenticated: true, user: toUserInfo(checked.user), audiences: checked.audiences }
    },
  }
}

/** A user in SelfSubjectReview and TokenReview. */
export function toUserInfo(user: User): NonNullable<TokenReviewStatus['user']> {
  const extra = Object.entries(user.extra ?? {}).map(([name, values]): [string, string[]] => [name, [...values]])
  return {
    username: user.username,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: [...user.groups],
    ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
  }
}

/** The token of a bearer header; '' for a header without one, which kube-apiserver treats as anonymous. */
function bearerOf(header: string): string | undefined {
  const [scheme, token, ...rest] = header.trim().split(' ')
  if (scheme?.toLowerCase() !== 'bearer') return ''
  return rest.length === 0 ? (token ?? '') : token
}

function secondsOf(date: Date): number {
  return date.getTime() / 1000
}

function digest(token: string): string {
  return hash('sha256', token, 'base64')
}

function toClaims({ serviceAccount, audiences, boundObjectRef }: TokenIssue, seconds: number, exp: number): JsonObject {
  const { namespace, name, uid } = serviceAccount
  const bound = boundObjectRef
    ? { [boundObjectRef.kind.toLowerCase()]: { name: boundObjectRef.name, uid: boundObjectRef.uid } }
    : {}
  return {
    aud: audiences.length > 0 ? [...audiences] : [ISSUER],
    exp,
    iat: seconds,
    iss: ISSUER,
    jti: randomUUID(),
    'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid } },
    nbf: seconds,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
}

interface ClaimsCheck {
  readonly audiences: readonly string[]
  readonly seconds: number
  readonly objects: ObjectReader
}

function checkClaims(claims: JsonObject, { audiences, seconds, objects }: ClaimsCheck): Checked {
  const granted = stringsOf(claims['aud'])
  const shared = audiences.filter((audience) => granted.includes(audience))
  if (shared.length === 0) {
    const list = (items: readonly string[]) => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`
    return {
      error: `[${INVALID}, token audiences ${list(granted)} is invalid for the target audiences ${list(audiences)}]`,
    }
  }
  if (claims['iss'] !== ISSUER || !(Number(claims['exp']) > seconds))
    return { error: `[${INVALID}, service account token has expired]` }
  const own = claims['kubernetes.io']
  if (!isObject(own)) return { error: INVALID }
  const namespace = String(own['namespace'])
  const account = refOf(own['serviceaccount'])
  const live = account && objects.get('', 'serviceaccounts', namespace, account.name)
  if (!account || live?.metadata.uid !== account.uid)
    return { error: `[${INVALID}, service account ${namespace}/${account?.name ?? ''} has been deleted]` }
  const extra: { [key: string]: string[] } = { [`${EXTRA}/credential-id`]: [`JTI=${String(claims['jti'])}`] }
  for (const kind of ['pod', 'secret']) {
    const bound = refOf(own[kind])
    if (!bound) continue
    if (objects.get('', `${kind}s`, namespace, bound.name)?.metadata.uid !== bound.uid)
      return { error: `[${INVALID}, service account token has been invalidated]` }
    if (kind === 'pod') Object.assign(extra, { [`${EXTRA}/pod-name`]: [bound.name], [`${EXTRA}/pod-uid`]: [bound.uid] })
  }
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  const user = { username: `system:serviceaccount:${namespace}:${account.name}`, uid: account.uid, groups, extra }
  return { user, audiences: shared }
}

function refOf(value: JsonObject[string]): { name: string; uid: string } | undefined {
  return isObject(value) ? { name: String(value['name']), uid: String(value['uid']) } : undefined
}
