import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { ApprovalRow, McpTables } from '../contract/tables.ts'

/** Decisions on the manifests of a server, by digest. */
export type Decisions = ReadonlyMap<string, Selectable<ApprovalRow>>

/** Reads the decisions on servers, by uid. */
export async function readDecisions(
  db: Reader<McpTables>,
  uids: readonly string[],
): Promise<ReadonlyMap<string, Decisions>> {
  if (uids.length === 0) return new Map()
  const rows = await db
    .selectFrom('mcp_approvals')
    .selectAll()
    .where('server_uid', 'in', [...uids])
    .execute()
  const byServer = Map.groupBy(rows, ({ server_uid: uid }) => uid)
  return new Map([...byServer].map(([uid, own]) => [uid, new Map(own.map((row) => [row.digest, row]))]))
}

/** A change of the spec of an object, as the manager has recorded it. */
export interface SpecChange {
  readonly resourceVersion: string
  readonly isCreation: boolean
}

/** Finds the change that made a generation of an object; undefined if it is not recorded, or no longer. */
export async function readSpecChange(
  db: Reader<CoreTables>,
  stream: string,
  generation: number,
): Promise<SpecChange | undefined> {
  const { rows } = await sql<{ readonly version: string; readonly type: string }>`
    select data->>'resourceVersion' as version, type from events
    where stream = ${stream} and (data->>'generation')::bigint = ${generation} order by version limit 1`.execute(db)
  const [row] = rows
  return row && { resourceVersion: row.version, isCreation: row.type.includes('.created.') }
}
