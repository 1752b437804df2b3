import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Seals of closed days, what each of them covers, and tombstones of what retention removed from them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // A day without a head is closed to writers and is being sealed.
  `create table audit_seals (
    day date primary key, closed_at timestamptz not null default clock_timestamp(),
    rows bigint, digest text, head text)`,
  // Id and digest of every row (48 bytes), a thousand a block: `verify` names the row, a day's digest alone could not.
  `create table audit_seal_blocks (day date not null, block integer not null, entries bytea not null,
    primary key (day, block))`,
  `create table audit_tombstones (
    id bigint generated always as identity primary key, day date not null, rows bigint not null,
    before timestamptz not null, head text not null)`,
  'create index audit_tombstones_by_day on audit_tombstones (day)',
]
