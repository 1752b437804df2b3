import { accessVerbs, accountRoles, personaRoles, reviewedVerbs } from '#core/cluster/roles/access-rule.ts'
import { asObject } from '#core/json/is-object.ts'
import { isName } from '#core/kube/names.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { GROUP } from '#schemas/names/group.ts'

type Refuse = (why: string) => never

const resourcePattern = /^[a-z][a-z0-9-]{0,62}(?:\/[a-z]{1,30})?$/
const textFields = ['group', 'resource', 'scope', 'clusterWide', 'kind', 'reason']
const verbs: readonly unknown[] = [...accessVerbs, ...reviewedVerbs]
const roles: readonly string[] = [...personaRoles, ...accountRoles]

/** Validates `access` of a third party: the generated roles get nothing but enumerated verbs on named resources (K6). */
export function checkAccess(where: string, access: unknown, refuse: Refuse): void {
  if (access === undefined) return
  if (!Array.isArray(access)) return refuse(`${where} must be a list of rules`)
  for (const [index, rule] of (access as readonly unknown[]).entries()) checkRule(`${where}[${index}]`, rule, refuse)
}

function checkRule(where: string, rule: unknown, refuse: Refuse): void {
  const fields = asObject(rule)
  const { resource, group } = fields
  if (typeof resource !== 'string' || !resourcePattern.test(resource))
    refuse(`${where}.resource must be a plural, or one with a subresource: pods/log`)
  if (group !== undefined && group !== '' && !isGroup(group)) refuse(`${where}.group must be a DNS name, or ''`)
  for (const [field, value] of Object.entries(fields)) {
    if (textFields.includes(field)) continue
    if (!roles.includes(field)) refuse(`${where}.${field.slice(0, 60)} is not a role (there are ${roles.join(', ')})`)
    if (!Array.isArray(value) || !value.every((verb) => verbs.includes(verb)))
      refuse(`${where}.${field} must be a list of verbs (${verbs.join(', ')})`)
  }
}

/** Validates `kinds` of a third party: built by `crud`, in its own group. */
export function checkKindSlots(kinds: unknown, refuse: Refuse): void {
  if (kinds === undefined) return
  if (!Array.isArray(kinds)) return refuse('kinds must be a list, such as [crud(kind, options)]')
  for (const [index, slot] of (kinds as readonly unknown[]).entries()) {
    const where = `kinds[${index}]`
    const { kind, access, endpoints, informer } = asObject(slot)
    const { group, plural } = asObject(kind)
    if (!Array.isArray(endpoints) || informer === undefined || typeof plural !== 'string')
      refuse(`${where} must be built by crud(kind, options)`)
    if (!isGroup(group) || isReserved(group))
      refuse(`${where}: the group ${JSON.stringify(group)} must be a DNS name of its own, such as acme.example`)
    checkAccess(`${where}.access`, access, refuse)
  }
}

/** Validates `stored` of a third party: built by `storeCrud`, and given to `definePlugin`, which adds its events. */
export function checkStored({ stored, events = [] }: Pick<AnyPlugin, 'stored' | 'events'>, refuse: Refuse): void {
  if (stored === undefined) return
  if (!Array.isArray(stored)) return refuse('stored must be a list, such as [storeCrud(resource, options)]')
  const types = new Set(events.map(({ type }) => type))
  for (const [index, slot] of (stored as readonly unknown[]).entries()) {
    const { resource, routes } = asObject(slot)
    const { created } = asObject(asObject(resource)['events'])
    if (typeof routes !== 'function' || !types.has(String(asObject(created)['type'])))
      refuse(`stored[${index}] must be built by storeCrud(resource, options), in a plugin of definePlugin`)
  }
}

/** Validates `informers` of a third party. */
export function checkInformers(informers: unknown, refuse: Refuse): void {
  if (informers === undefined) return
  if (!Array.isArray(informers)) return refuse('informers must be a list')
  for (const [index, informer] of (informers as readonly unknown[]).entries()) {
    const { resource, resourceKind } = asObject(informer)
    const { group, plural } = asObject(resource)
    if (typeof resourceKind !== 'string' || typeof plural !== 'string' || (group !== '' && !isGroupName(group)))
      refuse(`informers[${index}] must have resourceKind, and resource with group and plural`)
  }
}

function isGroup(value: unknown): value is string {
  return typeof value === 'string' && isName(value) && value.includes('.')
}

function isGroupName(value: unknown): boolean {
  return typeof value === 'string' && isName(value)
}

function isReserved(group: string): boolean {
  return [GROUP, 'k8s.io', 'kubernetes.io'].some((owned) => group === owned || group.endsWith(`.${owned}`))
}
