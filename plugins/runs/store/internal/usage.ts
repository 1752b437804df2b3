import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { RunsTables } from '../../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/** Usage that is compared with the quotas of a new run. */
export interface RunUsage {
  /** Queued runs of the namespace, and of the caller in all namespaces, counted up to the given limits. */
  readonly queuedInNamespace: number
  readonly queuedByCaller: number
  /** Stored bytes of the runs of the namespace. */
  readonly storedBytes: number
}

/** Owner of the usage. */
export interface UsageOwner {
  readonly namespaceUid: string
  readonly caller: string
}

/** Limits up to which queued runs are counted. */
export interface UsageBounds {
  readonly queuedPerNamespace: number
  readonly queuedPerCaller: number
}

/** Reads the usage of a namespace and a caller in one statement. */
export async function readRunUsage(db: Reader<RunsTables>, of: UsageOwner, upTo: UsageBounds): Promise<RunUsage> {
  const { rows } = await sql<RunUsage>`select ${usageColumns(of, upTo)}`.execute(db)
  return rows[0] ?? { queuedInNamespace: 0, queuedByCaller: 0, storedBytes: 0 }
}

/** The columns of `RunUsage`. Each count uses an index. */
export function usageColumns(of: UsageOwner, upTo: UsageBounds): RawBuilder<unknown> {
  return sql`
      (select count(*) from (select 1 from runs_runs where namespace_uid = ${of.namespaceUid} and state = 'queued'
        limit ${upTo.queuedPerNamespace}) q)::float8 as "queuedInNamespace",
      (select count(*) from (select 1 from runs_runs where trigger_by = ${of.caller} and state = 'queued'
        limit ${upTo.queuedPerCaller}) q)::float8 as "queuedByCaller",
      (select coalesce(sum(bytes), 0) from runs_storage
        where namespace_uid = ${of.namespaceUid})::float8 as "storedBytes"`
}

/** Stored bytes of all runs. */
export async function readStoredBytes(db: Reader<RunsTables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from runs_storage`.execute(db)
  return rows[0]?.bytes ?? 0
}
