import { sql } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import type { NamedObject, ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { Store } from '#core/event-store/store.ts'

/** An object with a condition that is not as it should be. */
export interface TroubledObject {
  readonly namespace: string
  readonly name: string
  /** Type of the condition. */
  readonly condition: string
  readonly reason: string
  /** Whether it is ready all the same, as an agent whose earlier revision serves. */
  readonly ready: boolean
  /** Since when; null if the condition has no time. */
  readonly since: string | null
  /** The object that it names and cannot use; null if that is not the reason. */
  readonly reference: NamedObject | null
}

/** Troubled objects of a kind: their number up to a bound, and the newest of them. */
export interface TroubledObjects {
  readonly count: number
  readonly items: readonly TroubledObject[]
}

/** Objects that are counted at most. */
export const MAX_TROUBLED = 1_000

/**
 * Objects of a kind in the namespaces of the proofs with one of the conditions, as the manager has observed them; the first condition of the list
 * explains an object. Reads troubled objects only.
 */
export async function readTroubled(
  store: Pick<Store, 'reader'>,
  access: AccessScope<'list'>,
  { kind, conditions, top }: { readonly kind: string; readonly conditions: readonly string[]; readonly top: number },
): Promise<TroubledObjects> {
  const names = access.map(({ namespace }) => namespace)
  const within = names.includes('') ? sql`true` : sql`namespace = any(${names}::text[])`
  const { rows } = await sql<TroubledObject & { readonly count: number }>`
    with found as materialized (
      select namespace, name, condition, problem ->> 'reason' as reason, problem ->> 'since' as since, problem -> 'reference' as reference,
        problems -> 'Ready' is null as ready from object_index
      cross join lateral (select wanted.type as condition, problems -> wanted.type as problem
        from unnest(${conditions}::text[]) with ordinality as wanted (type, place)
        where problems -> wanted.type is not null order by wanted.place limit 1) one
      where kind = ${kind} and deleted_at is null and problems <> '{}' and ${within}
      limit ${sql.lit(MAX_TROUBLED)})
    select *, (select count(*)::int from found) as count from found
    order by since desc nulls last, namespace, name limit ${top}`.execute(store.reader<ObjectIndexTables>())
  return {
    count: rows[0]?.count ?? 0,
    items: rows.map(({ namespace, name, condition, reason, ready, since, reference }) => {
      return { namespace, name, condition, reason, ready, since, reference }
    }),
  }
}
