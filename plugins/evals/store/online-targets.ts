import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables, OnlineTargetRow } from '../contract/tables.ts'
import type { EvalsTx } from './evaluations.ts'

/** An agent whose runs a suite scores. */
export type OnlineTarget = Omit<Selectable<OnlineTargetRow>, 'day' | 'day_runs'>

/** The agents whose runs a suite scores. */
export function readTargets(db: Reader<EvalTables>, suiteUid: string): Promise<OnlineTarget[]> {
  return db
    .selectFrom('evals_online_targets')
    .select(['agent_uid', 'namespace', 'namespace_uid', 'agent', 'suite', 'suite_uid', 'spec'])
    .where('suite_uid', '=', suiteUid)
    .orderBy('agent_uid')
    .execute()
}

/** Replaces the agents whose runs a suite scores. What was counted of a day stays. */
export async function replaceTargets(db: EvalsTx, suiteUid: string, targets: readonly OnlineTarget[]): Promise<void> {
  const uids = targets.map(({ agent_uid: uid }) => uid)
  await sql`delete from evals_online_targets where suite_uid = ${suiteUid} and agent_uid <> all(${uids}::text[])`.execute(
    db,
  )
  if (targets.length === 0) return
  const rows = targets.map((one) => ({ ...one, spec: JSON.stringify(one.spec) }))
  await db
    .insertInto('evals_online_targets')
    .values(rows)
    .onConflict((on) =>
      on.column('agent_uid').doUpdateSet(({ ref }) => ({
        suite: ref('excluded.suite'),
        suite_uid: ref('excluded.suite_uid'),
        spec: ref('excluded.spec'),
        namespace_uid: ref('excluded.namespace_uid'),
      })),
    )
    .execute()
}

/** Those of the agents whose runs are scored, locked until COMMIT: runs of one agent are counted one batch after the other. */
export async function lockTargets(db: EvalsTx, agentUids: readonly string[]): Promise<OnlineTarget[]> {
  return db
    .selectFrom('evals_online_targets')
    .select(['agent_uid', 'namespace', 'namespace_uid', 'agent', 'suite', 'suite_uid', 'spec'])
    .where('agent_uid', '=', sql<string>`any(${[...agentUids]}::text[])`)
    .orderBy('agent_uid')
    .forUpdate()
    .execute()
}

/** Whether the runs of any agent are scored. */
export async function hasTargets(db: EvalsTx): Promise<boolean> {
  return (await db.selectFrom('evals_online_targets').select('agent_uid').limit(1).executeTakeFirst()) !== undefined
}

/** Counts runs of an agent on a day, at most up to the limit. Returns how many were counted. */
export async function countOfDay(
  db: EvalsTx,
  agentUid: string,
  { day, runs, most }: { readonly day: string; readonly runs: number; readonly most: number },
): Promise<number> {
  const { rows } = await sql<{ before: number }>`
    with known as (select case when day = ${day}::date then day_runs else 0 end as before from evals_online_targets
      where agent_uid = ${agentUid} and (day is null or day <= ${day}::date) for update)
    update evals_online_targets set day = ${day}::date, day_runs = least(before + ${runs}::integer, greatest(before, ${most}::integer))
    from known where agent_uid = ${agentUid} returning before`.execute(db)
  const [known] = rows
  return known === undefined ? 0 : Math.max(0, Math.min(runs, most - known.before))
}
