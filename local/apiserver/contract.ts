import type { JsonObject } from './json/json-value.ts'
import type { KubeObject } from './json/kube-object.ts'
import type { Status } from './json/status.ts'
import type { ObjectReader } from './storage/object-reader.ts'

/** Who makes a request; anonymous is `system:anonymous` in `system:unauthenticated`. */
export interface User {
  username: string
  uid?: string
  groups: readonly string[]
  extra?: { readonly [key: string]: readonly string[] }
}

/** A token fixed at start (a persona of the embedded default). */
export interface StaticToken {
  token: string
  username: string
  uid?: string
  groups: readonly string[]
}

/** What a request wants, in the terms of RBAC. `resource` is empty for a non-resource request. */
export interface Attributes {
  verb: string
  group: string
  version?: string
  resource: string
  subresource: string
  namespace: string
  name: string
  /** The path of a non-resource request. */
  path?: string
}

/** An answer of the authorizer; `reason` is for access reviews only. */
export interface Decision {
  allowed: boolean
  reason: string
}

/** TokenRequest as the semantic half sees it. */
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

/** auth/authenticate.ts: `createAuthenticator({ tokens, keys, now, objects, issuer })`. */
export interface Authenticator {
  /** All values of the Authorization header: none is anonymous, anything not accepted is invalid. */
  authenticate(authorizationHeaderValues: readonly string[]): User | 'anonymous' | 'invalid'
  issue(request: TokenIssue): { token: string; expirationTimestamp: string }
  review(token: string, audiences: readonly string[]): TokenReviewStatus
}

/** What `createAuthenticator` takes; `keyFile` holds the issuer's key, made 0600 when absent. */
export interface AuthenticatorOptions {
  tokens: readonly StaticToken[]
  keyFile: string
  now: () => Date
  objects: ObjectReader
}

/** rbac/authorize.ts: `createAuthorizer(objects)`. */
export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision
  rulesFor(
    user: User,
    namespace: string,
  ): { resourceRules: JsonObject[]; nonResourceRules: JsonObject[]; evaluationError?: string }
  /** For writes of roles and bindings: the 403 of the real server when the user would gain rights; `old` makes it an update. */
  checkEscalation(user: User, object: KubeObject, old?: KubeObject): Status | undefined
}

/** reviews/: one function for all of authentication.k8s.io's and authorization.k8s.io's create-only kinds. */
export interface Reviews {
  /** `resource` is the plural, e.g. `selfsubjectaccessreviews`; throws or returns a Status when the body is bad. */
  review(resource: string, body: KubeObject, user: User, namespace: string): KubeObject | Status
}
