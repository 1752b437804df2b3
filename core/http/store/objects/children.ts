import { sql } from 'kysely'
import type { QueryExecutorProvider, RawBuilder, Transaction } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Idempotency } from '../../endpoint/endpoint.ts'
import { insertKeyed } from '../keyed-row.ts'
import type { RowPage } from '../store-list.ts'
import { tablesOf } from '../declared/stored-names.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { asJson, onlyRow } from './stored-rows.ts'
import type { StoredKey } from './stored-rows.ts'
import type { ChildSpec } from '../declared/stored-spec.ts'
import { DEFAULT_QUOTA } from '../declared/stored-spec.ts'
import { appendStored, lockedObject } from './stored-writes.ts'
import type { Authorship } from './stored-writes.ts'

/** A row of an append-only table below an object. `n` is its order. */
export interface ChildRow {
  readonly n: bigint
  readonly id: string
  readonly fields: unknown
  readonly created_at: Date
  readonly created_by: string
}

/** A new object below another. */
export interface NewChild extends StoredKey, Authorship {
  /** Step of its path. */
  readonly step: string
  readonly fields: unknown
  readonly idempotency?: Idempotency | undefined
}

/**
 * Adds an object below another with its event, in the transaction of the caller. A repeat with the same idempotency key returns the first.
 * Throws `not_found`, or `<kind>_quota_exceeded`.
 */
export async function addChildIn(
  tx: Tx,
  resource: StoredResource,
  { step, fields, idempotency, by, at, ...key }: NewChild,
): Promise<ChildRow> {
  const { names, errors } = resource
  const spec = childSpecOf(resource, step)
  const db = tx.tables()
  // Locked, so that the number below it is counted once at a time.
  const parent = await lockedObject(tx, resource, key)
  const table = tablesOf.child(names, step)
  const values = {
    id: uuidV7(at.getTime()),
    object_id: parent.id,
    fields: asJson(fields),
    created_at: at,
    created_by: by,
  }
  const made = await insertKeyed<ChildRow>(db, { table, values, idempotency })
  if (made === undefined) throw new Error(`an id of ${table} was repeated`)
  const { row, repeated } = made
  if (repeated) return row
  const { most = DEFAULT_QUOTA } = spec
  if ((await countOf(db, table, parent.id)) > most)
    throw new Fail(errors.quota, `${key.name} has ${most} of ${step}, its maximum.`)
  const type = resource.events.added.get(step)
  if (type === undefined) throw new Error(`${step} has no event`)
  const data = { id: row.id, parentId: parent.id }
  const subject = { kind: spec.kind, name: row.id, uid: row.id }
  await appendStored(tx, resource, { row: parent, by, type, data, subject })
  return row
}

/** The declaration of objects below another. */
export function childSpecOf({ spec: { children = {} }, names }: StoredResource, step: string): ChildSpec {
  const found = Object.hasOwn(children, step) ? children[step] : undefined
  if (found === undefined) throw new TypeError(`${names.plural} has no ${step} below it`)
  return found
}

/** A page of the objects below another, newest first. */
export interface ChildPage {
  readonly step: string
  readonly id: string
  /** Only those that no later one replaces. */
  readonly current: boolean
  readonly page: RowPage
}

/** Reads one page of the objects below another. */
export async function readChildRows(
  db: QueryExecutorProvider,
  resource: StoredResource,
  { step, id, current, page: { limit, after } }: ChildPage,
): Promise<readonly ChildRow[]> {
  const { newestPer } = childSpecOf(resource, step)
  const table = sql.table(tablesOf.child(resource.names, step))
  const before = after === undefined ? sql`` : sql`and c.n < ${after[0]}::bigint`
  const newest = current && newestPer !== undefined ? isNewest(table, newestPer) : sql``
  const { rows } = await sql<ChildRow>`select c.n, c.id, c.fields, c.created_at, c.created_by from ${table} c
    where c.object_id = ${id} ${before} ${newest} order by c.n desc limit ${limit}`.execute(db)
  return rows
}

// A later object of the same author with the same values replaces an earlier one.
function isNewest(table: RawBuilder<unknown>, fields: readonly string[]): RawBuilder<unknown> {
  const same = fields.map((field) => sql`later.fields -> ${field} is not distinct from c.fields -> ${field}`)
  return sql`and not exists (select from ${table} later where later.object_id = c.object_id and later.n > c.n
    and later.created_by = c.created_by and ${sql.join(same, sql` and `)})`
}

async function countOf(db: Transaction<unknown>, table: string, id: string): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::integer as count from ${sql.table(table)} where object_id = ${id}`.execute(db)
  return onlyRow(rows).count
}
