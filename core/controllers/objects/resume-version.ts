import { sql } from 'kysely'
import type { DnsLabel } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/list-request.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Informer } from '../watch/declarations.ts'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'

/** The part of an informer that one reflector watches: its kind, in all namespaces or in one. */
export interface InformerPart extends Informer {
  readonly namespace?: DnsLabel | undefined
}

/** The resourceVersion up to which all changes of a part are stored; undefined if it was never watched. */
export async function resumeVersionOf(store: Store, part: InformerPart): Promise<string | undefined> {
  const { resourceKind: kind, namespace } = part
  const db = store.reader<ObjectIndexTables>()
  const ofKind = await db.selectFrom('resume_versions').select('rv').where('kind', '=', kind).executeTakeFirst()
  if (namespace === undefined) return ofKind?.rv
  const ofNamespace = await db
    .selectFrom('namespace_resume_versions')
    .select('rv')
    .where('kind', '=', kind)
    .where('namespace', '=', namespace)
    .executeTakeFirst()
  // A version stored for all namespaces applies to each of them.
  if (ofKind === undefined || ofNamespace === undefined) return ofNamespace?.rv ?? ofKind?.rv
  return isNewer(ofKind.rv, ofNamespace.rv) ? ofKind.rv : ofNamespace.rv
}

interface StoredThrough {
  readonly through: string
  /** The version of a list, which replaces the stored one even if it is older. */
  readonly listed: boolean
}

/** Stores the resourceVersion up to which all changes are recorded. The newest version of all replicas is kept. */
export async function storeResumeVersion(tx: Tx, part: InformerPart, stored: StoredThrough): Promise<void> {
  const { resourceKind: kind, namespace } = part
  const { through, listed } = stored
  // Versions are decimal numbers of any length (KEP-5504).
  const replaces = sql`${listed} or (length(excluded.rv), excluded.rv collate "C") > (length(f.rv), f.rv collate "C")`
  const statement =
    namespace === undefined
      ? sql`insert into resume_versions as f (kind, rv) values (${kind}, ${through})
          on conflict (kind) do update set rv = excluded.rv where ${replaces}`
      : sql`insert into namespace_resume_versions as f (kind, namespace, rv) values (${kind}, ${namespace}, ${through})
          on conflict (kind, namespace) do update set rv = excluded.rv where ${replaces}`
  await statement.execute(tx.tables())
}
