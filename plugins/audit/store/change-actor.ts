import { sql } from 'kysely'
import type { ObjectChange } from '#core/controllers/objects/extension-points.ts'
import { changeId } from '../rows/row-keys.ts'
import type { AuditTables } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/** Returns the authenticated actor of a change while the key of its row is kept. Returns undefined for a guess or a missing row. */
export async function changeActor(
  db: Reader<AuditTables>,
  { uid, resourceVersion }: ObjectChange,
): Promise<string | undefined> {
  const id = changeId(resourceVersion === undefined ? 'create' : 'update', uid, resourceVersion ?? '')
  const { rows } = await sql<{ actor: string }>`
    select l.actor from audit_keys k join audit_log l on l.occurred_at = k.occurred_at and l.id = k.id
    where k.id = ${id} and coalesce(l.actor_exact, l.source = 'bff') limit 1`.execute(db)
  return rows[0]?.actor
}
