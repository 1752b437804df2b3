import { GROUP } from '#schemas/names/group.ts'
import type { RawRequest } from '#test/flows/platform/send.ts'

/** A right that no request to the API server needs, such as `approve mcpapprovals`. */
export interface ReviewedRight {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name?: string
}

/** The review of a right, to be sent with the credential of a cell. */
export function reviewOf(right: ReviewedRight): RawRequest {
  return {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group: GROUP, ...right } },
    },
  }
}

/** The refusal in the words of the API server (k8s.io/apiserver, handlers/responsewriters/errors.go). */
export function refusalOfRight({ verb, resource, namespace, name }: ReviewedRight, user: string) {
  const object = name === undefined ? '' : ` "${name}"`
  // Of `evalsuites/runs` the API server names the object, and the subresource in what the user cannot do.
  const [kind = resource] = resource.split('/')
  const message =
    `${kind}.${GROUP}${object} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${GROUP}" ` +
    `in the namespace "${namespace}"`
  return {
    reason: 'Forbidden',
    message,
    details: { ...(name === undefined ? {} : { name }), group: GROUP, kind },
  }
}
