import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

/** Migrations of the plugin that owns runs. */
export const runsMigrations = { name: 'runs', migrations: new URL('../../runs/migrations/', import.meta.url) }

/** The fields of a run that its payers need. */
export interface RunToAdd {
  readonly id: string
  readonly agent: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly parent?: string
  /** Default: the run itself. */
  readonly root?: string
  readonly state?: 'running' | 'queued' | 'paused' | 'succeeded'
}

/** Adds a run to the read model. */
export async function addRun(database: Database, run: RunToAdd): Promise<void> {
  const { id, agent, parent = null, root = id, state = 'running' } = run
  await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id, parent_run_id,
      trigger_kind, trigger_by, subject, state, trace_id, created_at)
    values (${id}, 1, ${agent.namespace}, 'ns', ${agent.name}, ${agent.uid}, 'c', ${root}, ${parent}, 'api', 'alice', 'alice', ${state}, 't', now())`.execute(
    database.root,
  )
}
