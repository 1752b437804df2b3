import { sql } from 'kysely'
import { deletedUids } from '#core/cluster/object-index-sql.ts'
import type { RunsTables, RunsTx } from './tables.ts'
import type { Reader } from '#core/event-store/store.ts'

type Db = Reader<RunsTables>

/** Keys of one agent that are valid at a time: the newest, and the one that running launchers still have after a rotation. */
const validKeys = 2

/** Records a public key (PEM, SPKI) of an agent's launchers; a third one makes the oldest invalid. */
export async function recordLauncherKey(db: RunsTx, agentUid: string, publicKey: string): Promise<void> {
  const added = await sql`insert into runs_launcher_keys (agent_uid, public_key) values (${agentUid}, ${publicKey})
    on conflict do nothing`.execute(db)
  if (added.numAffectedRows === 0n) return
  await sql`delete from runs_launcher_keys where agent_uid = ${agentUid} and public_key not in (
    select public_key from runs_launcher_keys where agent_uid = ${agentUid}
    order by recorded_at desc limit ${validKeys})`.execute(db)
}

/** The valid public keys of an agent's launchers. */
export async function readLauncherKeys(db: Db, agentUid: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs_launcher_keys')
    .select('public_key')
    .where('agent_uid', '=', agentUid)
    .execute()
  return rows.map((row) => row.public_key)
}

/** The valid public keys of the launchers of several agents, by the uid of the agent. */
export async function readKeysOfAgents(
  db: Db,
  agentUids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('runs_launcher_keys')
    .select(['agent_uid', 'public_key'])
    .where('agent_uid', '=', sql<string>`any(${[...agentUids]}::text[])`)
    .execute()
  const byAgent = Map.groupBy(rows, (row) => row.agent_uid)
  return new Map([...byAgent].map(([uid, keys]) => [uid, keys.map((row) => row.public_key)]))
}

/** Removes the keys of deleted agents; one whose runs are being cancelled keeps its keys until these have ended. */
export async function removeLauncherKeys(db: RunsTx): Promise<void> {
  await sql`delete from runs_launcher_keys where agent_uid in ${deletedUids('AgentDeployment')}
    and not exists (select 1 from runs_runs where runs_runs.agent_uid = runs_launcher_keys.agent_uid
      and finished_at is null)`.execute(db)
}
