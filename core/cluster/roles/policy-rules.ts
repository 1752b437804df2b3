import { GROUP } from '#schemas/names/group.ts'
import { accessVerbs, personaRoles, reviewedVerbs } from './access-rule.ts'
import type { AccessRule, GrantedRole, Verb } from './access-rule.ts'

/** One rule of a ClusterRole, and the reason that a manifest shows as its comment. */
export interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly Verb[]
  readonly reason?: string
}

interface Grant {
  readonly group: string
  readonly resource: string
  readonly reason: string | undefined
  readonly verbs: readonly Verb[]
}

/** The rules of a role: one per group, reason and set of verbs. A persona also has the rules of the weaker ones. Pure. */
export function policyRules(role: GrantedRole, access: readonly AccessRule[]): readonly PolicyRule[] {
  const grants = access.map((rule) => grantOf(role, rule)).filter(({ verbs }) => verbs.length > 0)
  const byResource = Map.groupBy(grants, ({ group, resource, reason }) => JSON.stringify([group, resource, reason]))
  const merged = [...byResource.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, verbs: inOrder([first, ...more].flatMap(({ verbs }) => verbs)) }],
  )
  const byVerbs = Map.groupBy(merged, ({ group, reason, verbs }) => JSON.stringify([group, reason, verbs]))
  return [...byVerbs.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const { group, reason, verbs } = first
    const resources = same.map(({ resource }) => resource)
    return [{ apiGroups: [group], resources, verbs, ...(reason === undefined ? {} : { reason }) }]
  })
}

function grantOf(role: GrantedRole, rule: AccessRule): Grant {
  const persona = personaRoles.findIndex((name) => name === role)
  const roles: readonly GrantedRole[] = persona < 0 ? [role] : personaRoles.slice(0, persona + 1)
  const { group = GROUP, resource, reason } = rule
  return { group, resource, reason, verbs: roles.flatMap((name) => rule[name] ?? []) }
}

function inOrder(verbs: readonly Verb[]): readonly Verb[] {
  return [...accessVerbs, ...reviewedVerbs].filter((verb) => verbs.includes(verb))
}
