import type { PartialRow, RunsTx } from '../contract/tables.ts'

/** Replaces the partial texts of unfinished messages. */
export async function savePartials(db: RunsTx, partials: readonly PartialRow[]): Promise<void> {
  if (partials.length === 0) return
  await db
    .insertInto('runs_partial')
    .values([...partials])
    .onConflict((on) => on.columns(['run_id', 'message_id']).doUpdateSet((row) => ({ text: row.ref('excluded.text') })))
    .execute()
}

/** Deletes the partial text of a finished message, or all of a finished run. */
export async function dropPartials(db: RunsTx, runId: string, messageId?: string): Promise<void> {
  let query = db.deleteFrom('runs_partial').where('run_id', '=', runId)
  if (messageId !== undefined) query = query.where('message_id', '=', messageId)
  await query.execute()
}
