import { toUserInfo } from '../auth/authenticate.ts'
import type { Authenticator } from '../auth/authenticate.ts'
import type { User } from '../auth/user.ts'
import { isObject, stringOf, stringsOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { failedStatus } from '../json/status.ts'
import type { Cause, Status } from '../json/status.ts'
import type { Attributes, Authorizer } from '../rbac/authorize.ts'

/** Responds to the create-only kinds of authentication.k8s.io and authorization.k8s.io. */
export interface Reviews {
  /** `resource` is the plural, e.g. `selfsubjectaccessreviews`; throws or returns a Status if the body is malformed. */
  review(resource: string, body: KubeObject, user: User, namespace: string): Promise<KubeObject | Status>
}

interface ReviewContext {
  readonly authorizer: Pick<Authorizer, 'authorize' | 'rulesFor'>
  readonly authenticator: Pick<Authenticator, 'review'>
  readonly now: () => Date
}

interface Request {
  readonly spec: JsonObject
  readonly metadata: JsonObject
  readonly user: User
  readonly namespace: string
}

type Answer = { kind: string; spec?: JsonObject; status: JsonObject; metadata?: JsonObject } | Status

const AUTHENTICATION = 'authentication.k8s.io/v1'
const AUTHORIZATION = 'authorization.k8s.io/v1'

/** The create-only kinds of authentication.k8s.io and authorization.k8s.io, by plural; none is stored. */
export function createReviews({ authorizer, authenticator, now }: ReviewContext): Reviews {
  const access = (request: Request, user: User): { spec: JsonObject; status: JsonObject } => {
    const { allowed, reason } = authorizer.authorize(user, toAttributes(request.spec))
    return { spec: request.spec, status: { allowed, ...(reason ? { reason } : {}) } }
  }
  const reviews: { readonly [resource: string]: (request: Request) => Answer | Promise<Answer> } = {
    selfsubjectreviews: ({ user }) => ({
      kind: 'SelfSubjectReview',
      metadata: {
        creationTimestamp: now()
          .toISOString()
          .replace(/\.\d+Z/, 'Z'),
      },
      status: { userInfo: toUserInfo(user) },
    }),
    async tokenreviews({ spec, metadata }) {
      const token = spec['token']
      if (typeof token !== 'string' || token === '')
        return badRequest('token is required for TokenReview in authentication')
      const { user, ...status } = await authenticator.review(token, stringsOf(spec['audiences']))
      return {
        kind: 'TokenReview',
        metadata,
        spec,
        status: { ...status, user: status.authenticated && user ? user : {} },
      }
    },
    selfsubjectaccessreviews(request) {
      const causes = [...checkAttributes(request.spec), ...checkMetadata(request.metadata)]
      return invalid(causes) ?? { kind: 'SelfSubjectAccessReview', ...access(request, request.user) }
    },
    subjectaccessreviews(request) {
      const causes = [
        ...checkAttributes(request.spec),
        ...checkSubject(request.spec),
        ...checkMetadata(request.metadata),
      ]
      return invalid(causes) ?? { kind: 'SubjectAccessReview', ...access(request, subjectOf(request.spec)) }
    },
    localsubjectaccessreviews(request) {
      const { namespace, metadata } = request
      if (metadata['namespace'] !== undefined && metadata['namespace'] !== namespace) {
        return badRequest('the namespace of the provided object does not match the namespace sent on the request')
      }
      const causes = [...checkAttributes(request.spec), ...checkSubject(request.spec), ...checkLocal(request)]
      return (
        invalid(causes) ?? {
          kind: 'LocalSubjectAccessReview',
          metadata: { namespace },
          ...access(request, subjectOf(request.spec)),
        }
      )
    },
    selfsubjectrulesreviews({ spec, user }) {
      const namespace = spec['namespace']
      if (typeof namespace !== 'string' || namespace === '') return badRequest('no namespace on request')
      return {
        kind: 'SelfSubjectRulesReview',
        spec: {},
        status: { ...authorizer.rulesFor(user, namespace), incomplete: false },
      }
    },
  }
  return {
    async review(resource, body, user, namespace) {
      const review = Object.hasOwn(reviews, resource) ? reviews[resource] : undefined
      if (!review) return failedStatus(404, 'NotFound', 'the server could not find the requested resource', {})
      const { metadata = {}, spec } = { metadata: body.metadata, spec: body['spec'] }
      return toObject(
        await review({ spec: isObject(spec) ? withoutBlanks(spec) : {}, metadata: named(metadata), user, namespace }),
      )
    },
  }
}

/** Attributes without empty strings (`omitempty`). */
function withoutBlanks(spec: JsonObject): JsonObject {
  const out = { ...spec }
  for (const key of ['resourceAttributes', 'nonResourceAttributes']) {
    const attributes = out[key]
    if (isObject(attributes))
      out[key] = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== ''))
  }
  return out
}

/** Metadata without an empty name. */
function named({ name, ...rest }: JsonObject): JsonObject {
  return name ? { name, ...rest } : rest
}

function toObject(answer: Answer): KubeObject | Status {
  if ('code' in answer) return answer as Status
  const { kind, metadata = {}, spec, status } = answer as Exclude<Answer, Status>
  const apiVersion = kind === 'TokenReview' || kind === 'SelfSubjectReview' ? AUTHENTICATION : AUTHORIZATION
  // A review has no name: it is never stored.
  return { kind, apiVersion, metadata: metadata as KubeObject['metadata'], ...(spec ? { spec } : {}), status }
}

function toAttributes(spec: JsonObject): Attributes {
  const resource = spec['resourceAttributes']
  if (!isObject(resource)) {
    const other = isObject(spec['nonResourceAttributes']) ? spec['nonResourceAttributes'] : {}
    return {
      verb: stringOf(other['verb']),
      group: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      path: stringOf(other['path']),
    }
  }
  return {
    verb: stringOf(resource['verb']),
    group: stringOf(resource['group']),
    version: stringOf(resource['version']),
    resource: stringOf(resource['resource']),
    subresource: stringOf(resource['subresource']),
    namespace: stringOf(resource['namespace']),
    name: stringOf(resource['name']),
  }
}

function subjectOf(spec: JsonObject): User {
  return { username: stringOf(spec['user']), groups: stringsOf(spec['groups']) }
}

function checkAttributes(spec: JsonObject): Cause[] {
  const resource = spec['resourceAttributes']
  const other = spec['nonResourceAttributes']
  if (resource && isObject(other)) {
    return [cause('spec.nonResourceAttributes', 'cannot be specified in combination with resourceAttributes')]
  }
  if (resource || other) return []
  return [
    cause(
      'spec.resourceAttributes',
      'null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ]
}

function checkSubject(spec: JsonObject): Cause[] {
  if (stringOf(spec['user']) !== '' || stringsOf(spec['groups']).length > 0) return []
  return [cause('spec.user', '"": at least one of user or group must be specified')]
}

function checkMetadata(metadata: JsonObject): Cause[] {
  const { managedFields: _managed, name, ...rest } = metadata
  if (name) rest['name'] = name
  return Object.keys(rest).length > 0 ? [cause('metadata', `${JSON.stringify(metadata)}: must be empty`)] : []
}

function checkLocal({ spec, metadata, namespace }: Request): Cause[] {
  const { managedFields: _managed, namespace: _namespace, name, ...rest } = metadata
  if (name) rest['name'] = name
  const causes =
    Object.keys(rest).length > 0
      ? [cause('metadata', `${JSON.stringify(metadata)}: must be empty except for namespace`)]
      : []
  const resource = spec['resourceAttributes']
  if (isObject(resource) && stringOf(resource['namespace']) !== namespace) {
    causes.push(
      cause(
        'spec.resourceAttributes.namespace',
        `${JSON.stringify(stringOf(resource['namespace']))}: must match metadata.namespace`,
      ),
    )
  }
  const other = spec['nonResourceAttributes']
  if (isObject(other)) causes.push(cause('spec.nonResourceAttributes', 'disallowed on this kind of request'))
  return causes
}

function cause(field: string, message: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${message}`, field }
}

/** The message has no kind, as in kube-apiserver. */
function invalid(causes: Cause[]): Status | undefined {
  if (causes.length === 0) return undefined
  const lines = causes.map((each) => `${each.field}: ${each.message}`)
  const all = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  return failedStatus(422, 'Invalid', `.authorization.k8s.io "" is invalid: ${all}`, {
    group: 'authorization.k8s.io',
    causes,
  })
}

function badRequest(message: string): Status {
  return failedStatus(400, 'BadRequest', message)
}
