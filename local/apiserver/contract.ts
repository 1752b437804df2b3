import type { User } from './auth/user.ts'
import type { KubeObject } from './json/kube-object.ts'
import type { Status } from './json/status.ts'

/** reviews/: one function for all of authentication.k8s.io's and authorization.k8s.io's create-only kinds. */
export interface Reviews {
  /** `resource` is the plural, e.g. `selfsubjectaccessreviews`; throws or returns a Status when the body is bad. */
  review(resource: string, body: KubeObject, user: User, namespace: string): KubeObject | Status
}
