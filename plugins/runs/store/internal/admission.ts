import { sql } from 'kysely'
import type { RunsTx } from '../../contract/tables.ts'
import { usageColumns } from './usage.ts'
import type { RunUsage, UsageBounds, UsageOwner } from './usage.ts'

/** Data on which the admission of a new run depends. */
export interface RunAdmission {
  /** Whether the agent or namespace with the given uid exists, by the object index. */
  readonly exists: boolean
  readonly usage: RunUsage
}

type Row = RunUsage & { readonly exists: boolean }

/**
 * Reads the data for the admission of a new run in one statement. Its agent or namespace is locked, so a deletion waits for the end of the
 * transaction. A new run is either refused, or committed before the deletion, whose pruning then finds it.
 */
export async function readAdmission(
  db: RunsTx,
  uid: string | undefined,
  of: UsageOwner,
  upTo: UsageBounds,
): Promise<RunAdmission> {
  const usage = usageColumns(of, upTo)
  const statement =
    uid === undefined
      ? sql<Row>`select true as "exists", ${usage}`
      : sql<Row>`
    with held as materialized (select from object_index where uid = ${uid} and deleted_at is null for share)
    select exists (select from held) as "exists", ${usage}`
  const [row] = (await statement.execute(db)).rows
  if (row === undefined) throw new Error('a select without a table returned no row')
  const { exists, ...counts } = row
  return { exists, usage: counts }
}
