import { type Kysely, sql } from 'kysely'
import { isObserved } from '#core/cluster/object-index-sql.ts'
import type { ToldObject } from '#core/controllers/objects/extension-points.ts'
import { keyDays } from './key-partitions.ts'
import type { AuditTables } from './tables.ts'

/** Objects that a caller created or changed and no informer has seen, at most 500. Limited to the age of keys, so that a deletion found twice is one row. */
export async function unseenObjects(db: Kysely<AuditTables>, kinds: readonly string[]): Promise<readonly ToldObject[]> {
  const { rows } = await sql<ToldObject>`
    select detail ->> 'uid' as uid, resource_kind as kind, namespace, resource_name as name,
      coalesce(detail ->> 'resourceVersion', '0') as "resourceVersion"
    from audit_log
    where source = 'bff' and outcome = 'success' and action <> 'delete' and detail ? 'uid'
      and occurred_at >= now() - make_interval(days => ${sql.lit(keyDays)}) and resource_kind = any(${kinds}::text[])
      and not ${isObserved(sql`audit_log.detail ->> 'uid'`)}
    order by occurred_at desc limit 500`.execute(db)
  return [...new Map(rows.toReversed().map((row) => [row.uid, row])).values()]
}
