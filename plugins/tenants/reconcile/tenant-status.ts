import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { Membership } from './membership.ts'

/** Findings about a tenant. */
export interface TenantFindings extends Membership {
  /** True if the manager may not list namespaces, and the tenant selects some by labels. */
  readonly isUnselectable: boolean
}

/** Maximum length of `status.namespaces`. */
export const MAX_NAMESPACES = 1024
/** Maximum number of names in a message; a selector may match thousands. */
const MAX_NAMES = 10

/** The conditions of a tenant: Accepted, ResolvedRefs, Ready. Pure. */
export function tenantVerdicts(found: TenantFindings): readonly ConditionValue[] {
  const accepted = acceptedOf(found)
  const resolved = resolvedOf(found)
  const broken = [accepted, resolved].find(({ status, reason }) => status === 'False' && reason !== MISSING)
  return [accepted, resolved, readyOf(found, broken)]
}

const MISSING = 'NamespaceMissing'

function acceptedOf({ conflicts }: TenantFindings): ConditionValue {
  if (conflicts.length === 0)
    return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'No namespace belongs to another tenant.' }
  const named = conflicts.map(({ namespace, tenant }) => `${namespace} (tenant ${tenant})`)
  const message = `Namespaces that belong to an older tenant: ${listed(named)}.`
  return { type: 'Accepted', status: 'False', reason: 'NamespaceConflict', message }
}

function resolvedOf({ missing, isUnselectable }: TenantFindings): ConditionValue {
  const about = { type: 'ResolvedRefs', status: 'False' } as const
  if (isUnselectable)
    return {
      ...about,
      reason: 'SelectorNotAvailable',
      message: 'The manager may not list namespaces, so namespaceSelector selects none.',
    }
  if (missing.length > 0)
    return { ...about, reason: MISSING, message: `Namespaces that do not exist: ${listed(missing)}.` }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every namespace was found.' }
}

function readyOf({ namespaces: { length } }: TenantFindings, broken: ConditionValue | undefined): ConditionValue {
  if (broken !== undefined) return { ...broken, type: 'Ready' }
  if (length > MAX_NAMESPACES) {
    const message = `Only the first ${MAX_NAMESPACES} of ${length} namespaces, in name order, are served: models refuse agents of the others.`
    return { type: 'Ready', status: 'False', reason: 'TooManyNamespaces', message }
  }
  const message = `The quota applies to ${length} ${length === 1 ? 'namespace' : 'namespaces'}.`
  return { type: 'Ready', status: 'True', reason: 'Ready', message }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
