import type { Json, JsonObject } from './json/json-value.ts'
import type { KubeObject } from './json/kube-object.ts'
import type { Cause, Status } from './json/status.ts'
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

/** Schema node of apiextensions v1 (`openAPIV3Schema`), as far as it is read here. */
export type JsonSchema = {
  type?: string
  description?: string
  format?: string
  properties?: { [name: string]: JsonSchema }
  required?: string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  enum?: Json[]
  default?: Json
  nullable?: boolean
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  not?: JsonSchema
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-patch-strategy'?: string
  /** Set on fields of built-in kinds that are Go structs: always present, if empty. */
  'x-go-struct'?: boolean
  /** Name of the Go type of a component of a built-in kind: for decoding errors. */
  'x-go-type'?: string
  'x-kubernetes-patch-merge-key'?: string
  'x-kubernetes-validations'?: {
    rule: string
    message?: string
    messageExpression?: string
    reason?: string
    fieldPath?: string
    optionalOldSelf?: boolean
  }[]
}

/** A structural schema made ready (schema/). `apiVersion`, `kind` and `metadata` are always known fields. */
export interface CompiledSchema {
  /** Removes unknown fields, in a copy or in place (the argument is owned by the callee). */
  prune(object: KubeObject): KubeObject
  /** Fills defaults (the argument is owned by the callee); a null where none may be is dropped, or kept for validation to find. */
  default(object: KubeObject, keepNulls?: boolean): KubeObject
  /** Causes of refusal, empty when valid; `old` makes it an update (CEL `oldSelf`); after some `found` before, rules are not checked. */
  validate(object: KubeObject, old?: KubeObject, found?: readonly Cause[]): Cause[]
  /** Dotted paths of unknown fields (`spec.x`, `spec.list[0].y`), in document order. */
  unknownFields(object: KubeObject): string[]
  /** The schema as given: for OpenAPI, apply and explain. */
  readonly schema: JsonSchema
}

/** Field ownership of one write other than apply (apply/). */
export interface UpdateToTrack {
  before: KubeObject | undefined
  after: KubeObject
  manager: string
  subresource: string
  schema: CompiledSchema
  now: Date
}

/** A server-side apply (apply/): `live` is undefined for a create. */
export interface ApplyRequest {
  live: KubeObject | undefined
  patch: KubeObject
  manager: string
  force: boolean
  schema: CompiledSchema
  subresource: string
  now: Date
}

/** The outcome of an apply: the new object with its managedFields, or the conflict's causes. */
export type ApplyResult = { object: KubeObject } | { conflict: Cause[]; message: string }

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
