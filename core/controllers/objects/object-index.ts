import { sql } from 'kysely'
import type { Selectable, Transaction } from 'kysely'
import { isNewer } from '#core/kube/resource-version.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Observation } from './object-fingerprint.ts'
import type { AuditedFields, ObservedTables } from '#core/cluster/observed-tables.ts'

/** A transaction that may write `observed`. */
export type ObservedTx = Tx<ObservedTables>
/** One remembered object. */
export type ObservedRow = Selectable<ObservedTables['observed']>
/** What happened to an object. */
export type Verb = 'create' | 'update' | 'delete'

/** The hash of an object that was never read. */
export const UNREAD = ''

/** What is remembered of one object while a transaction compares it with what was seen. */
export interface Remembered {
  readonly uid: string
  resourceVersion: string
  contentHash: string
  audited: AuditedFields | undefined
  deleted: boolean
  readonly departed: boolean
  /** Inserted by this transaction, and not told of yet. */
  untold: boolean
  /** Differs from its row. */
  changed: boolean
}

/**
 * Locks the rows of what was seen and inserts those that are missing. Both in the order of their uids, so that two replicas never wait
 * for each other.
 */
export async function openRows(
  tx: ObservedTx,
  kind: string,
  seen: readonly Observation[],
): Promise<ReadonlyMap<string, Remembered>> {
  const known = new Map<string, Remembered>()
  const lock = async (uids: readonly string[]): Promise<void> => {
    for (const row of await lockRows(tx, uids)) known.set(row.uid, fromRow(row))
  }
  const firsts = new Map(seen.toReversed().map((one) => [one.uid, one]))
  await lock([...firsts.keys()])
  const missing = [...firsts.values()].filter((one) => !known.has(one.uid))
  if (missing.length === 0) return known
  const inserted = await insertRows(tx, kind, missing)
  for (const one of missing) if (inserted.has(one.uid)) known.set(one.uid, fromFirst(one))
  // Another replica inserted them a moment ago: their creation is its news, what came after may be ours.
  const theirs = missing.filter((one) => !inserted.has(one.uid))
  if (theirs.length > 0) await lock(theirs.map((one) => one.uid))
  return known
}

/** Compares an object that was seen with what is remembered of it; gives what there is to tell. */
export function noteSeen(known: Remembered, seen: Observation): Verb | undefined {
  if (known.untold) {
    known.untold = false
    return 'create'
  }
  // A watch that was far behind with what was declared departed: its changes are told all the same, its deletion has been.
  if (known.departed && known.contentHash === UNREAD) {
    note(known, seen)
    return 'create'
  }
  // A uid never comes back, and an older version is a replay or another replica's news.
  if ((known.deleted && !known.departed) || !isNewer(seen.resourceVersion, known.resourceVersion)) return undefined
  const verb = known.contentHash === seen.contentHash ? undefined : 'update'
  note(known, seen)
  return verb
}

/** Marks an object as deleted; one that was never seen alive gets its creation too, so that each row has both ends. */
export function noteDeleted(known: Remembered): readonly Verb[] {
  const created: readonly Verb[] = known.untold ? ['create'] : []
  known.untold = false
  if (known.deleted) return created
  known.deleted = true
  known.changed = true
  return [...created, 'delete']
}

function note(known: Remembered, seen: Observation): void {
  known.resourceVersion = seen.resourceVersion
  known.contentHash = seen.contentHash
  known.audited = seen.audited ?? known.audited
  known.changed = true
}

/** Writes what a comparison has changed. */
export async function saveRows(tx: ObservedTx, rows: Iterable<Remembered>): Promise<void> {
  const changed = [...rows].filter((row) => row.changed)
  if (changed.length === 0) return
  await sql`
    update observed o
    set rv = c."resourceVersion", content_hash = c."contentHash", audited = coalesce(c.audited, o.audited),
      deleted_at = case when c.deleted then coalesce(o.deleted_at, now()) end
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      as c(uid text, "resourceVersion" text, "contentHash" text, audited jsonb, deleted boolean)
    where o.uid = c.uid`.execute(tx.db)
}

/** Inserts what was never seen and is gone; false when there is a row of it. */
export async function insertDeparted(tx: ObservedTx, kind: string, seen: Observation): Promise<boolean> {
  if ((await insertRows(tx, kind, [seen])).size === 0) return false
  await tx.db
    .updateTable('observed')
    .set({ deleted_at: sql<Date>`now()`, departed: true })
    .where('uid', '=', seen.uid)
    .execute()
  return true
}

async function lockRows(tx: ObservedTx, uids: readonly string[]): Promise<ObservedRow[]> {
  return tx.db.selectFrom('observed').selectAll().where('uid', 'in', uids).orderBy('uid').forUpdate().execute()
}

// The uids of those that were not there.
async function insertRows(tx: ObservedTx, kind: string, seen: readonly Observation[]): Promise<ReadonlySet<string>> {
  const rows = seen.map(({ uid, namespace, name, resourceVersion: rv, contentHash: content_hash, audited }) => {
    // As text: the driver would take an object for a parameter of another type.
    const fields = audited === undefined ? null : sql<AuditedFields>`${JSON.stringify(audited)}::jsonb`
    return {
      uid,
      kind,
      namespace,
      name,
      rv,
      content_hash,
      deleted_at: null,
      audited: fields,
    }
  })
  const inserted = await tx.db
    .insertInto('observed')
    .values(rows.toSorted((a, b) => (a.uid < b.uid ? -1 : 1)))
    .onConflict((conflict) => conflict.doNothing())
    .returning('uid')
    .execute()
  return new Set(inserted.map((row) => row.uid))
}

function fromRow(row: ObservedRow): Remembered {
  const { uid, rv: resourceVersion, content_hash: contentHash, departed } = row
  return {
    uid,
    resourceVersion,
    contentHash,
    audited: row.audited ?? undefined,
    departed,
    deleted: row.deleted_at !== null,
    untold: false,
    changed: false,
  }
}

function fromFirst({ uid, resourceVersion, contentHash, audited }: Observation): Remembered {
  return {
    uid,
    resourceVersion,
    contentHash,
    audited,
    departed: false,
    deleted: false,
    untold: true,
    changed: false,
  }
}

/** Forgets objects that were deleted longer ago than the log remembers; a uid never comes back. Returns how many. */
export async function pruneObserved(db: Transaction<unknown>, retentionDays: number): Promise<bigint> {
  const { numAffectedRows } = await sql`
    delete from observed where deleted_at < now() - make_interval(days => ${retentionDays})`.execute(db)
  return numAffectedRows ?? 0n
}

/**
 * Makes the next lists decide what is true, after store or cluster were restored: versions may have gone back, and what was deleted may
 * be there again. Contents stay, so that what did not change is not told again.
 */
export async function rebaseObserved(db: Transaction<unknown>): Promise<void> {
  await sql`delete from observed where deleted_at is not null`.execute(db)
  await sql`update observed set rv = '0'`.execute(db)
  await sql`delete from followed`.execute(db)
  await sql`delete from followed_namespaces`.execute(db)
}
