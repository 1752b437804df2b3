import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import { describeError } from '#core/log/describe-error.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isRetryable } from '#core/database/session/database-errors.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { StoredEvent } from '#core/event-store/event.ts'

/** Whether a failure is independent of the event: the store was unavailable, or two transactions conflicted. Retried without counting. */
export function isTransient(error: unknown): boolean {
  return isRetryable(error) || (error instanceof Fail && error.code.endsWith('_unavailable'))
}

/** Counts a failed attempt in its own transaction. The event is dead when `attempts` reaches `most` (A5). */
export async function recordFailedAttempt(
  db: Transaction<CoreTables>,
  consumer: string,
  event: StoredEvent,
  failure: { readonly error: unknown; readonly most: number },
): Promise<{ readonly attempts: number; readonly dead: boolean }> {
  const error = nameOf(failure.error)
  const row = await db
    .insertInto('dead_letter')
    .values({ consumer, event_id: event.id, position: event.position, attempts: 1, error, dead_at: null })
    .onConflict((conflict) =>
      conflict.columns(['consumer', 'event_id']).doUpdateSet({ attempts: sql`dead_letter.attempts + 1`, error }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow()
  const dead = row.attempts >= failure.most
  if (dead) {
    await db
      .updateTable('dead_letter')
      .set({ dead_at: sql<Date>`now()` })
      .where('consumer', '=', consumer)
      .where('event_id', '=', event.id)
      .execute()
  }
  return { attempts: row.attempts, dead }
}

/** Deletes the failed attempts of events that eventually succeeded, at the latest with COMMIT. */
export async function clearFailures(
  db: Transaction<CoreTables>,
  consumer: string,
  events: readonly StoredEvent[],
): Promise<void> {
  await deleteFailures.defer(db, { consumer, ids: events.map((event) => event.id) })
}

const deleteFailures = defineStatement(
  (db: Kysely<CoreTables>, p: Placeholders<{ consumer: string; ids: readonly string[] }>) =>
    db
      .deleteFrom('dead_letter')
      .where('consumer', '=', p.consumer)
      .where('event_id', '=', sql<string>`any(${p.ids}::text[])`),
)

function nameOf(failure: unknown): string {
  const { error, code } = describeError(failure)
  return [error, code].filter((part) => part !== undefined).join(' ')
}
