import { sql } from 'kysely'
import { deletedUids } from '#core/cluster/object-index-sql.ts'
import type { RunsTables, RunsTx } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/**
 * Public keys of launchers of versions before certificates. A worker accepts them for a day after the upgrade, so that runs in old pods can end; no
 * key is added any more.
 */
export async function readFormerKeys(db: Reader<RunsTables>, agentUid: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs_launcher_keys')
    .select('public_key')
    .where('agent_uid', '=', agentUid)
    .where('valid_until', '>', sql<Date>`clock_timestamp()`)
    .execute()
  return rows.map((row) => row.public_key)
}

/** Removes keys that are no longer valid, and those of deleted agents whose runs have ended. */
export async function removeFormerKeys(db: RunsTx): Promise<void> {
  await sql`delete from runs_launcher_keys where valid_until <= clock_timestamp()
    or (agent_uid in ${deletedUids('AgentDeployment')}
      and not exists (select 1 from runs_runs where runs_runs.agent_uid = runs_launcher_keys.agent_uid
        and finished_at is null))`.execute(db)
}
