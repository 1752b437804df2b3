import { sql } from 'kysely'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { RunsTx, SelectedRun } from '../contract/tables.ts'

// An invoke waits for at most a day, and its response is kept for another day.
const kept = sql`interval '48 hours'`

/**
 * Returns the run of an earlier request with the same key; throws `idempotency_conflict` if that request was different. Keys expire
 * after two days; an expired key is released for the new run.
 */
export async function findKeyed(db: RunsTx, idempotency: Idempotency | undefined): Promise<SelectedRun | undefined> {
  if (idempotency === undefined) return undefined
  await sql`update runs_content set idempotency_key = null from runs_runs
    where idempotency_key = ${idempotency.key} and runs_runs.id = run_id
      and runs_runs.created_at < clock_timestamp() - ${kept}`.execute(db)
  const keyed = db.selectFrom('runs_content').where('idempotency_key', '=', idempotency.key)
  const found = await keyed.select(['run_id', 'idempotency_request']).executeTakeFirst()
  if (!found) return undefined
  if (!found.idempotency_request || !idempotency.request.equals(found.idempotency_request))
    throw new Fail('idempotency_conflict')
  return db.selectFrom('runs_runs').selectAll().where('id', '=', found.run_id).executeTakeFirstOrThrow()
}
