import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

/** An event that a consumer failed to handle. */
export interface DeadLetter {
  readonly consumer: string
  readonly eventId: string
  readonly position: bigint
  readonly attempts: number
  readonly error: string
  readonly deadAt: Date
  /** Marked for another attempt, which the consumer makes within a minute. */
  readonly redriven: boolean
}

/** Lists dead events, oldest first, of one consumer or of all. */
export async function listDeadLetters(
  database: Database,
  options: { readonly consumer?: string; readonly limit?: number } = {},
): Promise<readonly DeadLetter[]> {
  const { consumer, limit = 200 } = options
  const rows = await database.db
    .selectFrom('dead_letter')
    .selectAll()
    .where('dead_at', 'is not', null)
    .$if(consumer !== undefined, (query) => query.where('consumer', '=', consumer ?? ''))
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.flatMap(({ consumer: who, event_id, position, attempts, error, dead_at, redrive: again }) =>
    dead_at === null
      ? []
      : [{ consumer: who, eventId: event_id, position, attempts, error, deadAt: dead_at, redriven: again }],
  )
}

/** Marks dead events for another attempt: by id, of one consumer, or both. Returns their number. */
export async function redrive(
  database: Database,
  which: { readonly consumer?: string | undefined; readonly ids?: readonly string[] },
): Promise<number> {
  const { consumer, ids } = which
  const result = await database.db
    .updateTable('dead_letter')
    .set({ redrive: true })
    .where('dead_at', 'is not', null)
    .$if(ids !== undefined, (query) => query.where('event_id', '=', sql<string>`any(${[...(ids ?? [])]}::text[])`))
    .$if(consumer !== undefined, (query) => query.where('consumer', '=', consumer ?? ''))
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
