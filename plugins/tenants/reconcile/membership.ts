import type { TenantObject } from '#schemas/crds/tenant.ts'

/** A namespace as the manager observes it. */
export interface ObservedNamespace {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** Namespaces of one tenant. */
export interface Membership {
  /** Namespaces that belong to the tenant, in name order. A namespace in the spec belongs to the tenant even before it exists. */
  readonly namespaces: readonly string[]
  /** Namespaces that an older tenant also claims: they belong to the older tenant. */
  readonly conflicts: readonly { readonly namespace: string; readonly tenant: string }[]
  /** Namespaces in the spec that do not exist. */
  readonly missing: readonly string[]
}

/**
 * Resolves the namespaces of a tenant. A namespace belongs to one tenant at most: to the oldest that claims it, so that a new tenant takes none from
 * an older one. `observed` is undefined if namespaces cannot be listed; then only names count. Pure.
 */
export function resolveMembership(
  tenant: TenantObject,
  all: readonly TenantObject[],
  observed: readonly ObservedNamespace[] | undefined,
): Membership {
  const rivals = all
    .filter((one) => one.metadata.deletionTimestamp === undefined && isOlder(one, tenant))
    .map((one) => ({ tenant: one.metadata.name, claims: claimsOf(one, observed) }))
  const namespaces: string[] = []
  const conflicts: { namespace: string; tenant: string }[] = []
  for (const namespace of [...claimsOf(tenant, observed)].toSorted()) {
    const rival = rivals.find(({ claims }) => claims.has(namespace))
    if (rival === undefined) namespaces.push(namespace)
    else conflicts.push({ namespace, tenant: rival.tenant })
  }
  const known = observed && new Set(observed.map(({ name }) => name))
  const missing = known === undefined ? [] : (tenant.spec.namespaces ?? []).filter((name) => !known.has(name))
  return { namespaces, conflicts, missing }
}

/** Whether a tenant claims a namespace by its spec. */
export function isClaimed({ spec }: TenantObject, { name, labels }: ObservedNamespace): boolean {
  return spec.namespaces?.includes(name) === true || isSelected(spec, labels)
}

function claimsOf(tenant: TenantObject, observed: readonly ObservedNamespace[] = []): ReadonlySet<string> {
  const selected = observed.filter(({ labels }) => isSelected(tenant.spec, labels)).map(({ name }) => name)
  return new Set([...(tenant.spec.namespaces ?? []), ...selected])
}

// A selector without labels would select everything; the API server refuses it.
function isSelected({ namespaceSelector }: TenantObject['spec'], labels: ObservedNamespace['labels']): boolean {
  const wanted = Object.entries(namespaceSelector?.matchLabels ?? {})
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

// Times have whole seconds: for objects created in the same second, names decide.
function isOlder(one: TenantObject, other: TenantObject): boolean {
  if (one.metadata.uid === other.metadata.uid) return false
  const [a, b] = [orderOf(one), orderOf(other)]
  return a < b
}

function orderOf({ metadata: { creationTimestamp = '', name } }: TenantObject): string {
  return `${creationTimestamp} ${name}`
}
