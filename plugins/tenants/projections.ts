import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { isDeletedUnderLock } from '#core/cluster/object-index-sql.ts'
import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { tenantQuotaChanged } from './contract/events.ts'
import type { TenantQuotaChanged } from './contract/events.ts'
import type { TenantsTables } from './contract/tables.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<TenantsTables>

/** Quotas of tenants and their namespaces, which state role and gateway read. A deleted tenant has no quota. */
export const quotasProjection: Projection = {
  name: 'tenants.quotas',
  version: 1,
  tables: ['tenants_quotas', 'tenants_namespaces'],
  types: [tenantQuotaChanged, objectDeleted],
  apply: async (event, tx) => {
    const db = tx.withTables<TenantsTables>()
    if (event.type === tenantQuotaChanged.type) await replaceQuota(event, db)
    else if (event.subject.kind === 'Tenant') await removeQuota((event.data as { readonly uid: string }).uid, db)
  },
}

// A reconciler may have read the tenant before its deletion.
async function replaceQuota({ subject: { uid = '', name }, data }: Event, db: Db): Promise<void> {
  if (await isDeletedUnderLock(db, 'Tenant', uid)) return
  const { quota, namespaces } = data as TenantQuotaChanged
  const row = { name, quota: JSON.stringify(quota) }
  await db
    .insertInto('tenants_quotas')
    .values({ uid, ...row })
    .onConflict((on) => on.column('uid').doUpdateSet(row))
    .execute()
  await db.deleteFrom('tenants_namespaces').where('uid', '=', uid).execute()
  if (namespaces.length === 0) return
  await sql`insert into ${sql.table('tenants_namespaces')} (namespace, uid)
    select distinct n, ${uid} from unnest(${[...namespaces]}::text[]) as given(n)`.execute(db)
}

async function removeQuota(uid: string, db: Db): Promise<void> {
  await db.deleteFrom('tenants_quotas').where('uid', '=', uid).execute()
  await db.deleteFrom('tenants_namespaces').where('uid', '=', uid).execute()
}
