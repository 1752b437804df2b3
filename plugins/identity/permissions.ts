import type { Static } from 'typebox'
import type { Caller } from '#core/cluster/caller.ts'
import { asObject } from '#core/json/is-object.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Permissions, PermissionRule } from '#schemas/api/identity.ts'

type Rule = Static<typeof PermissionRule>

/** Rules that a response has at most: a cluster may bind a person to thousands of roles. */
const MAX_RULES = 1_000

/**
 * What the caller may do in a namespace, from one SelfSubjectRulesReview. It is for showing and hiding controls only: the cluster still decides
 * each request, and an authorizer that cannot list its rules makes the list incomplete.
 */
export async function readPermissions(
  { cluster }: Pick<Caller, 'cluster'>,
  namespace: DnsLabel,
  signal: AbortSignal,
): Promise<Static<typeof Permissions>> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  }
  const { status } = await cluster.review<{ readonly status?: unknown }>(
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    body,
    { signal },
  )
  const { resourceRules, incomplete, evaluationError } = asObject(status)
  const given = Array.isArray(resourceRules) ? resourceRules.map(toRule) : []
  const rules = given.filter(({ verbs, resources }) => verbs.length > 0 && resources.length > 0)
  return {
    namespace,
    // The text of an evaluation error names roles, so it is not relayed.
    complete: incomplete === false && (evaluationError ?? '') === '' && rules.length <= MAX_RULES,
    rules: rules.slice(0, MAX_RULES),
  }
}

function toRule(given: unknown): Rule {
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
