import { GROUP } from '#schemas/names/group.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { asObject } from '#core/json/is-object.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { InvalidName, isLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import type { Access, CallerRule, CallerRules, ReviewTarget } from './caller.ts'

/** An access question; `resource` may include a group and a subresource (`agentdeployments/invoke`, `widgets.acme.example`). */
export interface Question<V extends string, R extends string> extends ReviewTarget {
  readonly verb: V
  readonly resource: R
}

/** Reviews the access of the caller. Returns a proof, or undefined if denied; throws 503 without a decision (K3). Nothing is cached. */
export async function askAccess<V extends string, R extends string>(
  cluster: KubeClient,
  username: string,
  question: Question<V, R>,
): Promise<Access<V, R> | undefined> {
  const { verb, resource, namespace, name, group } = question
  // The authorizer does not validate names: it would allow an operator the namespace ".." (M4).
  if (namespace !== '' && !isLabel(namespace)) throw new InvalidName('namespace', 'must be an RFC 1123 label')
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: specOf(question) }
  const answer = await cluster
    .review<ReviewResponse>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)
    .catch((error: unknown) => {
      throw reviewFailure(error)
    })
  if (!isAllowed(answer.status)) return undefined
  return { verb, resource, namespace, name, group, username } as Access<V, R> // the only place that creates a proof
}

/** The API server's own 403 for the question, so that a virtual resource is refused like a real one. */
export function forbidden(username: string, question: Question<string, string>): KubeError {
  const { verb, namespace, name = '' } = question
  const { group, plural, resource } = partsOfResource(question)
  const qualified = group === '' ? plural : `${plural}.${group}`
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const message =
    `${qualified}${name === '' ? '' : ` "${name}"`} is forbidden: User "${username}" cannot ${verb} resource "${resource}"` +
    ` in API group "${group}" ${scope}`
  return new KubeError(403, 'Forbidden', message, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  })
}

/** Response of the authorization API. `reason` names roles and is never relayed. */
export interface ReviewResponse {
  readonly status?: {
    readonly allowed?: boolean
    readonly denied?: boolean
    readonly evaluationError?: string
  } | null
}

/** Returns the decision. An evaluation error or a missing status is neither allowed nor denied, and throws (K3). */
export function isAllowed(status: ReviewResponse['status']): boolean {
  if (typeof status !== 'object' || status === null || (status.evaluationError ?? '') !== '')
    throw new Fail('review_unavailable')
  return status.allowed === true && status.denied !== true
}

/** Converts the error of a failed review: the bearer was rejected, the caller disconnected, or the cluster did not decide. */
export function reviewFailure(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error
  if (error.status === 401) return new Fail('unauthenticated')
  return new Fail('review_unavailable', undefined, { cause: error })
}

// `widgets.acme.example/status`: a resource of another group, as kubectl writes it.
function partsOfResource({ resource, group }: Question<string, string>) {
  const [qualified = '', subresource] = resource.split('/')
  const dot = qualified.indexOf('.')
  const plural = dot < 0 ? qualified : qualified.slice(0, dot)
  return {
    group: group ?? (dot < 0 ? GROUP : qualified.slice(dot + 1)),
    plural,
    subresource,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
  }
}

function specOf(question: Question<string, string>) {
  const { group, plural, subresource } = partsOfResource(question)
  return {
    resourceAttributes: {
      verb: question.verb,
      group,
      resource: plural,
      ...(subresource === undefined ? {} : { subresource }),
      ...(question.namespace === '' ? {} : { namespace: question.namespace }),
      ...(question.name === undefined ? {} : { name: question.name }),
    },
  }
}

// A cluster may bind a person to thousands of roles.
const MAX_RULES = 1_000

/** Rules of the caller in a namespace. */
export async function readRules(cluster: KubeClient, namespace: DnsLabel, signal: AbortSignal): Promise<CallerRules> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } }
  const { status } = await cluster
    .review<{ readonly status?: unknown }>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', review, { signal })
    .catch((error: unknown) => {
      throw reviewFailure(error)
    })
  // The text of an evaluation error names roles, so it is not relayed.
  const { resourceRules, incomplete, evaluationError } = asObject(status)
  const given = Array.isArray(resourceRules) ? resourceRules.map(toRule) : []
  const rules = given.filter(({ verbs, resources }) => verbs.length > 0 && resources.length > 0)
  return {
    complete: incomplete === false && (evaluationError ?? '') === '' && rules.length <= MAX_RULES,
    rules: rules.slice(0, MAX_RULES),
  }
}

function toRule(given: unknown): CallerRule {
  const { verbs, apiGroups, resources, resourceNames } = asObject(given)
  const names = textsOf(resourceNames)
  return {
    verbs: textsOf(verbs),
    groups: textsOf(apiGroups),
    resources: textsOf(resources),
    ...(names.length === 0 ? {} : { names }),
  }
}

function textsOf(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((one) => typeof one === 'string') : []
}
