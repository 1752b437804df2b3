import { type Kysely, sql } from 'kysely'
import type { ObjectChange } from '#core/cluster/points.ts'
import { changeId } from '../rows.ts'
import type { AuditTables } from './tables.ts'

/** The authenticated actor of a change, as long as the key of its row is kept; undefined when the row has a guess, or has not come. */
export async function changeActor(
  db: Kysely<AuditTables>,
  { uid, resourceVersion }: ObjectChange,
): Promise<string | undefined> {
  const id = changeId(resourceVersion === undefined ? 'create' : 'update', uid, resourceVersion ?? '')
  const { rows } = await sql<{ actor: string }>`
    select l.actor from audit_keys k join audit_log l on l.occurred_at = k.occurred_at and l.id = k.id
    where k.id = ${id} and coalesce(l.actor_exact, l.source = 'bff') limit 1`.execute(db)
  return rows[0]?.actor
}
