import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { Type } from 'typebox'
import { defineEvent } from '../event.ts'
import type { NewEvent, StoredEvent } from '../event.ts'
import { txWithTables } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import type { Projection } from '../store.ts'

/** Event type of the store's tests. */
export const noted = defineEvent({
  plugin: 'notes',
  fact: 'noted',
  summary: 'A note was written.',
  data: Type.Object({ n: Type.Integer() }, { additionalProperties: false }),
})

/** Creates a note event. */
export function note(n: number, more: Partial<NewEvent<{ n: number }>> = {}): NewEvent<{ n: number }> {
  return { type: noted, subject: { namespace: 'demo', kind: 'Note', name: `n${n}` }, data: { n }, ...more }
}

/** Table of the tests' projection. */
export type NoteTables = {
  notes_sums: { stream: string; total: number; version: number }
}

/** Sums notes per stream. */
export const sums: Projection = {
  name: 'notes.sums',
  version: 1,
  tables: ['notes_sums'],
  types: [noted],
  apply: addToSum,
}

/** Creates the projection's table. */
export async function createNotes(database: Database): Promise<void> {
  await sql`create table notes_sums (stream text primary key, total integer not null, version integer not null,
    constraint notes_sums_total check (total >= 0))`.execute(database.root)
  await sql`create index notes_sums_by_total on notes_sums (total desc)`.execute(database.root)
}

async function addToSum(event: Omit<StoredEvent, 'position'>, root: Transaction<unknown>): Promise<void> {
  const { n } = event.data as { n: number }
  await txWithTables<NoteTables>(root)
    .insertInto('notes_sums')
    .values({ stream: event.stream, total: n, version: event.version })
    .onConflict((conflict) =>
      conflict.column('stream').doUpdateSet({ total: sql`notes_sums.total + ${n}`, version: event.version }),
    )
    .execute()
}
