import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Idempotency } from '../endpoint/endpoint.ts'

/** A row to insert. Its table has the columns `request_key` (unique), `request_hash` and `created_at`. */
export interface KeyedRow {
  readonly table: string
  /** Values by column; JSON and times may be SQL. */
  readonly values: Readonly<Record<string, unknown>>
  readonly idempotency: Idempotency | undefined
}

/** Outcome of an insert: `repeated` is the row of an earlier request with the same key. */
export interface KeyedInsert<Row> {
  readonly row: Row
  readonly repeated: boolean
}

/**
 * Inserts a row with the idempotency key of its request (ADR 0036). Returns undefined if another unique column has the same value. Throws
 * `idempotency_conflict` for a key that was used with another request.
 */
export async function insertKeyed<Row>(
  db: Transaction<unknown>,
  { table, values, idempotency }: KeyedRow,
): Promise<KeyedInsert<Row> | undefined> {
  if (idempotency !== undefined) await forgetOldKey(db, table, idempotency.key)
  const all = {
    ...values,
    request_key: idempotency?.key ?? null,
    request_hash: idempotency?.request ?? null,
  }
  const { rows } =
    await sql<Row>`insert into ${sql.table(table)} (${sql.join(Object.keys(all).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(all))}) on conflict do nothing returning *`.execute(db)
  const [row] = rows
  if (row !== undefined) return { row, repeated: false }
  const found = idempotency && (await findKeyed<Row>(db, table, idempotency))
  return found && { row: found, repeated: true }
}

async function findKeyed<Row>(
  db: Transaction<unknown>,
  table: string,
  { key, request }: Idempotency,
): Promise<Row | undefined> {
  const { rows } = await sql<Row & { readonly request_hash: Uint8Array | null }>`
    select * from ${sql.table(table)} where request_key = ${key}`.execute(db)
  const [row] = rows
  if (row !== undefined && (row.request_hash === null || !request.equals(row.request_hash)))
    throw new Fail('idempotency_conflict')
  return row
}

// An hour less than core stores a response: while the response is stored, repeats do not reach this code.
async function forgetOldKey(db: Transaction<unknown>, table: string, key: Buffer): Promise<void> {
  await sql`update ${sql.table(table)} set request_key = null
    where request_key = ${key} and created_at < clock_timestamp() - interval '23 hours'`.execute(db)
}
