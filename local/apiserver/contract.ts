import type { User } from './auth/user.ts'
import type { JsonObject } from './json/json-value.ts'
import type { KubeObject } from './json/kube-object.ts'
import type { Status } from './json/status.ts'

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
