import { sql } from 'kysely'
import type { Reader, Store } from '#core/event-store/store.ts'
import type { Access } from '#core/cluster/caller.ts'
import type { TenantQuota } from '../contract/events.ts'
import type { TenantsTables } from '../contract/tables.ts'

/** A tenant and its limits. */
export interface StoredTenant {
  readonly uid: string
  readonly name: string
  readonly quota: TenantQuota
}

/** Proof of a review of `tenantusage`. */
export type UsageAccess = Access<'get' | 'list', 'tenantusage'>

/** Reads of the projection. */
export interface TenantQuotas {
  /** Tenants whose quota applies to a namespace: one, or briefly two while a namespace changes its tenant. */
  ofNamespace(namespace: string): Promise<readonly StoredTenant[]>
  /** The stored row of a tenant, for the reconciler; undefined before its first event. */
  stored(uid: string): Promise<{ readonly quota: TenantQuota; readonly namespaces: readonly string[] } | undefined>
  /** A page of tenants, sorted by name, after a name. */
  list(access: UsageAccess, page: { readonly after: string; readonly limit: number }): Promise<readonly StoredTenant[]>
  /** Names of the tenants of namespaces, by namespace; with two tenants, the one with the smaller uid. */
  namesOf(namespaces: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The tenant with a name; undefined for an unknown name. */
  find(access: UsageAccess, name: string): Promise<StoredTenant | undefined>
}

/** Creates the reads. */
export function createTenantQuotas(store: Store): TenantQuotas {
  const db = store.reader<TenantsTables>()
  const tenants = () => db.selectFrom('tenants_quotas').select(['uid', 'name', 'quota'])
  return {
    ofNamespace: (namespace) =>
      tenants()
        .where('uid', 'in', (eb) =>
          eb.selectFrom('tenants_namespaces').select('tenants_namespaces.uid').where('namespace', '=', namespace),
        )
        .orderBy('uid')
        .execute(),
    stored: (uid) => readStored(db, uid),
    list: (_access, { after, limit }) => tenants().where('name', '>', after).orderBy('name').limit(limit).execute(),
    namesOf: (namespaces) => readNames(db, namespaces),
    // The new uid of a re-created tenant may be stored before the deletion of the old one.
    find: (_access, name) => tenants().where('name', '=', name).executeTakeFirst(),
  }
}

async function readStored(db: Reader<TenantsTables>, uid: string) {
  const tenant = await db.selectFrom('tenants_quotas').select('quota').where('uid', '=', uid).executeTakeFirst()
  if (tenant === undefined) return undefined
  const rows = await db
    .selectFrom('tenants_namespaces')
    .select('namespace')
    .where('uid', '=', uid)
    .orderBy('namespace')
    .execute()
  return { quota: tenant.quota, namespaces: rows.map(({ namespace }) => namespace) }
}

async function readNames(
  db: Reader<TenantsTables>,
  namespaces: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (namespaces.length === 0) return new Map()
  const rows = await db
    .selectFrom('tenants_namespaces')
    .innerJoin('tenants_quotas', 'tenants_quotas.uid', 'tenants_namespaces.uid')
    .select(['tenants_namespaces.namespace', 'tenants_quotas.name'])
    .where('tenants_namespaces.namespace', '=', sql<string>`any(${[...namespaces]}::text[])`)
    .orderBy('tenants_namespaces.uid', 'desc')
    .execute()
  return new Map(rows.map(({ namespace, name }) => [namespace, name]))
}
