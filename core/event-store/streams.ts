import { Fail } from '#core/errors/domain-error.ts'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { codeOf } from '#core/database/session/database-errors.ts'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

/** Positions per range of the log; each range is one partition. */
export const rangeSize = 1_000_000_000_000n

/**
 * First position of the range in which the newest position is. Streams and keys are stored with it, since retention compares only ranges. The
 * exact position is known last, and would cost an update of each of their rows.
 */
export const currentRange = sql<bigint>`(select last_value / ${sql.lit(rangeSize)} * ${sql.lit(rangeSize)} from events_position)`

/** Another writer appended to the stream since its version was read. Read again and retry (O4). */
export class StreamConflict extends Fail {
  readonly stream: string
  constructor(stream: string, expected: number) {
    super('conflict', `The stream ${stream} is no longer at version ${expected}.`)
    this.name = 'StreamConflict'
    this.stream = stream
  }
}

type Db = Transaction<CoreTables>

/** SQLSTATE of `advance_stream` for a stream at another version. */
const OTHER_VERSION = 'MS002'

/** Converts the failure of `advanceFrom` to a `StreamConflict`; returns other errors unchanged. */
export function toStreamConflict(error: unknown): unknown {
  if (codeOf(error) !== OTHER_VERSION) return error
  const { detail = '', hint = '' } = error as { readonly detail?: string; readonly hint?: string }
  return new StreamConflict(detail, Number(hint))
}

const advance = defineStatement(
  (db: Kysely<CoreTables>, p: Placeholders<{ stream: string; expected: number; count: number }>) =>
    db.selectNoFrom(sql`advance_stream(${p.stream}, ${p.expected}, ${p.count})`.as('advanced')),
)

/**
 * Increments the version of a stream that must be at `expected` (0 for a new one), and returns the new one. Sent before the next statement,
 * which rejects if the stream has another version (O4). The row stays locked until COMMIT.
 */
export async function advanceFrom(db: Db, stream: string, expected: number, count: number): Promise<number> {
  await advance.defer(db, { stream, expected, count })
  return expected + count
}

const advanceOne = defineStatement((db: Kysely<CoreTables>, p: Placeholders<{ stream: string; count: number }>) =>
  db
    .insertInto('streams')
    .values({ stream: p.stream, version: p.count, last_position: currentRange })
    .onConflict((conflict) =>
      conflict.column('stream').doUpdateSet((row) => ({
        version: sql`streams.version + ${p.count}`,
        last_position: row.ref('excluded.last_position'),
      })),
    )
    .returning('version'),
)

/** Increments a stream's version, of any value, by `count` and returns it. The row stays locked until COMMIT. */
export async function advanceAny(db: Db, stream: string, count: number): Promise<number> {
  const row = await advanceOne.first(db, { stream, count })
  if (row === undefined) throw new TypeError('a version was expected')
  return row.version
}

/** Increments the versions of many streams, each by its count, and returns them. Rows are locked in name order. */
export async function advanceStreams(
  db: Db,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const names = [...counts.keys()].toSorted()
  const { rows } = await sql<{ stream: string; version: number }>`
    insert into streams (stream, version, last_position)
    select g.stream, g.count, ${currentRange} from unnest(${names}::text[], ${names.map((name) => counts.get(name))}::integer[])
      with ordinality as g (stream, count, n) order by g.n
    on conflict (stream) do update set version = streams.version + excluded.version, last_position = excluded.last_position
    returning stream, version`.execute(db)
  return new Map(rows.map((row) => [row.stream, row.version]))
}
