import { sql } from 'kysely'
import type { Informer } from '#core/host/work.ts'
import type { Store, Tx } from '#core/store/store.ts'
import type { ObservedTables } from './observed.ts'

/** The version up to which all changes of a kind are remembered; undefined when it was never followed. */
export async function followedThrough(store: Store, informer: Informer): Promise<string | undefined> {
  const row = await store
    .reader<ObservedTables>()
    .selectFrom('followed')
    .select('rv')
    .where('kind', '=', informer.resourceKind)
    .executeTakeFirst()
  return row?.rv
}

/** Notes that all changes up to a version are remembered. Of several replicas the one that is ahead counts; a list counts as it is. */
export async function noteFollowed(
  tx: Tx<ObservedTables>,
  informer: Informer,
  { through, listed }: { readonly through: string; readonly listed: boolean },
): Promise<void> {
  // Versions are decimal numbers of any length (KEP-5504).
  await sql`
    insert into followed as f (kind, rv) values (${informer.resourceKind}, ${through})
    on conflict (kind) do update set rv = excluded.rv
    where ${listed} or (length(excluded.rv), excluded.rv collate "C") > (length(f.rv), f.rv collate "C")`.execute(tx.db)
}
