import type { Selectable } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables, OverrideRow } from '../contract/tables.ts'
import type { EvalsTx } from './evaluations.ts'

/** Stores an override; the first one of a revision stays. */
export async function insertOverride(db: EvalsTx, row: OverrideRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('evals_overrides')
    .values(row)
    .onConflict((on) => on.columns(['agent_uid', 'revision']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Overrides of an agent, by the number of the revision. */
export async function readOverrides(
  db: Reader<EvalTables>,
  agentUids: readonly string[],
): Promise<readonly Selectable<OverrideRow>[]> {
  if (agentUids.length === 0) return []
  return db
    .selectFrom('evals_overrides')
    .selectAll()
    .where('agent_uid', 'in', [...agentUids])
    .execute()
}
