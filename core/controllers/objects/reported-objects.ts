import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { RequestOutcome } from '#core/http/audit/events.ts'
import type { Reader } from '#core/event-store/store.ts'

/** An object that a caller created or changed through the API. */
export interface ReportedObject {
  readonly uid: string
  readonly kind: string
  /** '' for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
}

/** A report with the time of the write. */
export type Report = ReportedObject & { readonly reportedAt: Date }

// Reports are kept as long as the audit log merges reports of one change (A4). A later deletion could become a second row.
const keepDays = 7
const mostPerRound = 500

/** The object of an accepted write. Returns undefined for deletions, denials and failures. */
export function toReport({ time, subject, data }: StoredEvent<RequestOutcome>): Report | undefined {
  const { uid, resourceVersion, resourceKind: kind, action, change = action, outcome } = data
  if (outcome !== 'success' || change === 'delete' || uid === undefined || resourceVersion === undefined) return
  return { uid, kind, namespace: subject.namespace ?? '', name: subject.name, resourceVersion, reportedAt: time }
}

/** Stores reports of objects that are not indexed, the newest version of each, in the order of uids: two replicas never deadlock. */
export async function insertReports(db: Transaction<ObjectIndexTables>, reports: readonly Report[]): Promise<void> {
  if (reports.length === 0) return
  await sql`
    insert into reported_objects as r (uid, kind, namespace, name, rv, reported_at)
    select distinct on (o.uid) o.uid, o.kind, o.namespace, o.name, o."resourceVersion", o."reportedAt"
    from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as o(
      uid text, kind text, namespace text, name text, "resourceVersion" text, "reportedAt" timestamptz)
    where o."reportedAt" >= ${oldest} and not ${isIndexed(sql`o.uid`)}
    order by o.uid, length(o."resourceVersion") desc, o."resourceVersion" collate "C" desc
    on conflict (uid) do update set rv = excluded.rv, reported_at = excluded.reported_at
    where (length(excluded.rv), excluded.rv collate "C") > (length(r.rv), r.rv collate "C")`.execute(db)
}

/** Reported objects of these kinds that no informer has seen, at most 500, the newest first. */
export async function listUnobserved(
  db: Reader<ObjectIndexTables>,
  kinds: readonly string[],
): Promise<readonly ReportedObject[]> {
  const { rows } = await sql<ReportedObject>`
    select uid, kind, namespace, name, rv as "resourceVersion" from reported_objects r
    where kind = any(${kinds}::text[]) and reported_at >= ${oldest} and not ${isIndexed(sql`r.uid`)}
    order by reported_at desc limit ${sql.lit(mostPerRound)}`.execute(db)
  return rows
}

/** Deletes reports that are indexed or expired. Returns the number of deleted rows. */
export async function pruneReports(db: Transaction<unknown>): Promise<bigint> {
  const { numAffectedRows } = await sql`
    delete from reported_objects r where reported_at < ${oldest} or ${isIndexed(sql`r.uid`)}`.execute(db)
  return numAffectedRows ?? 0n
}

const oldest = sql`now() - make_interval(days => ${sql.lit(keepDays)})`

function isIndexed(uid: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from object_index where object_index.uid = ${uid})`
}
