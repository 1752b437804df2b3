import { sql } from 'kysely'
import type { DnsLabel } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/resource-version.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Informer } from '../watch/declarations.ts'
import type { ObservedTables } from '#core/cluster/observed-tables.ts'

/** What one reflector of an informer follows: its kind, as a whole or in one namespace. */
export interface InformerPart extends Informer {
  readonly namespace?: DnsLabel | undefined
}

/** The version up to which all changes of a part are remembered; undefined when it was never followed. */
export async function followedThrough(store: Store, part: InformerPart): Promise<string | undefined> {
  const { resourceKind: kind, namespace } = part
  const db = store.reader<ObservedTables>()
  const whole = await db.selectFrom('followed').select('rv').where('kind', '=', kind).executeTakeFirst()
  if (namespace === undefined) return whole?.rv
  const own = await db
    .selectFrom('followed_namespaces')
    .select('rv')
    .where('kind', '=', kind)
    .where('namespace', '=', namespace)
    .executeTakeFirst()
  // What is remembered of every namespace is remembered of this one.
  if (whole === undefined || own === undefined) return own?.rv ?? whole?.rv
  return isNewer(whole.rv, own.rv) ? whole.rv : own.rv
}

interface Noted {
  readonly through: string
  readonly listed: boolean
}

/** Notes that all changes up to a version are remembered. Of several replicas the one that is ahead counts; a list counts as it is. */
export async function noteFollowed(tx: Tx<ObservedTables>, part: InformerPart, noted: Noted): Promise<void> {
  const { resourceKind: kind, namespace } = part
  const { through, listed } = noted
  // Versions are decimal numbers of any length (KEP-5504).
  const replaces = sql`${listed} or (length(excluded.rv), excluded.rv collate "C") > (length(f.rv), f.rv collate "C")`
  const statement =
    namespace === undefined
      ? sql`insert into followed as f (kind, rv) values (${kind}, ${through})
          on conflict (kind) do update set rv = excluded.rv where ${replaces}`
      : sql`insert into followed_namespaces as f (kind, namespace, rv) values (${kind}, ${namespace}, ${through})
          on conflict (kind, namespace) do update set rv = excluded.rv where ${replaces}`
  await statement.execute(tx.db)
}
