import { Fail } from '#core/errors/domain-error.ts'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { ExpectedVersion } from './store.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

/** Another writer appended to the stream since its version was read. Read again and retry (O4). */
export class StreamConflict extends Fail {
  readonly stream: string
  constructor(stream: string, expected: number) {
    super('conflict', `The stream ${stream} is not at version ${expected} any more.`)
    this.name = 'StreamConflict'
    this.stream = stream
  }
}

type Db = Transaction<CoreTables>

/** Increments a stream's version by `count` and returns it. The row stays locked until COMMIT. Throws `StreamConflict` (O4). */
export async function advanceStream(db: Db, stream: string, expected: ExpectedVersion, count: number): Promise<number> {
  if (expected === 'any') return advanceAny(db, stream, count)
  const version = expected === 0 ? await startStream(db, stream, count) : await advanceAt(db, stream, expected, count)
  if (version !== undefined) return version
  if (expected > 0 && (await reopenPruned(db, stream, expected + count))) return expected + count
  throw new StreamConflict(stream, expected)
}

async function advanceAny(db: Db, stream: string, count: number): Promise<number> {
  const row = await db
    .insertInto('streams')
    .values({ stream, version: count })
    .onConflict((conflict) => conflict.column('stream').doUpdateSet({ version: sql`streams.version + ${count}` }))
    .returning('version')
    .executeTakeFirstOrThrow()
  return row.version
}

/** Increments the versions of many streams, each by its count, and returns them. Rows are locked in name order. */
export async function advanceStreams(
  db: Db,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const values = [...counts].map(([stream, version]) => ({ stream, version }))
  const rows = await db
    .insertInto('streams')
    .values(values.toSorted((a, b) => (a.stream < b.stream ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.column('stream').doUpdateSet({ version: sql`streams.version + excluded.version` }),
    )
    .returning(['stream', 'version'])
    .execute()
  return new Map(rows.map((row) => [row.stream, row.version]))
}

async function startStream(db: Db, stream: string, count: number): Promise<number | undefined> {
  const row = await db
    .insertInto('streams')
    .values({ stream, version: count })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .executeTakeFirst()
  return row?.version
}

async function advanceAt(db: Db, stream: string, expected: number, count: number): Promise<number | undefined> {
  const row = await db
    .updateTable('streams')
    .set({ version: expected + count })
    .where('stream', '=', stream)
    .where('version', '=', expected)
    .returning('version')
    .executeTakeFirst()
  return row?.version
}

// Retention removes streams without events in its window. Their owners still know the version and may continue from it.
async function reopenPruned(db: Db, stream: string, version: number): Promise<boolean> {
  const pruned = await db.selectFrom('event_ranges').select('range').where('range', '=', 0).executeTakeFirst()
  if (pruned !== undefined) return false
  return (await startStream(db, stream, version)) !== undefined
}
