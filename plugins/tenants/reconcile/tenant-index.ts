import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { objectRefOf } from '#core/controllers/object-ref.ts'
import type { TenantObject } from '#schemas/crds/tenant.ts'
import { isClaimed } from './membership.ts'

interface Known {
  readonly tenant: TenantObject
  readonly namespaces: ReadonlySet<string>
}

/** Index of tenants as last reconciled: maps a changed namespace or tenant to the affected tenants. */
export function createTenantIndex() {
  const known = new Map<string, Known>()
  return {
    /** Called before and after a reconciliation, so that no change in between is missed. */
    set(tenant: TenantObject, namespaces: readonly string[]): void {
      known.set(tenant.metadata.name, { tenant, namespaces: new Set(namespaces) })
    },
    namespacesOf: (name: string): readonly string[] => [...(known.get(name)?.namespaces ?? [])],
    remove(name: string): void {
      known.delete(name)
    },
    /** Returns the tenants to which a namespace belongs or belonged, and those that claim it. */
    concernedBy({ metadata: { name, labels = {} } }: KubeObject): readonly ObjectRef[] {
      return [...known.values()]
        .filter(({ tenant, namespaces }) => namespaces.has(name) || isClaimed(tenant, { name, labels }))
        .map(({ tenant }) => objectRefOf(tenant))
    },
    /** Returns all other tenants, or none if only the status of the tenant has changed. */
    rivalsOf({ metadata: { name, uid, generation } }: KubeObject, isDeleted: boolean): readonly ObjectRef[] {
      const before = known.get(name)?.tenant.metadata
      if (!isDeleted && before?.uid === uid && before?.generation === generation) return []
      return [...known.values()]
        .filter(({ tenant }) => tenant.metadata.name !== name)
        .map(({ tenant }) => objectRefOf(tenant))
    },
  }
}
