import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Interrupt } from '#schemas/runs/run.ts'
import type { LauncherAddress, LauncherPlace, NewJournal, RunsTx } from '../../contract/tables.ts'
import { addStoredBytes, insertEntries, journalBytes } from './journal.ts'
import type { LockedRun } from './lease.ts'

/** State of a run in the queue. `keep` keeps the lease. */
export interface QueueChange {
  readonly state: LockedRun['leaseState']
  readonly keep: boolean
}

/** Launcher and ticket of the start of a segment. */
export interface SegmentStart {
  readonly ticket: string | undefined
  readonly launcher: LauncherAddress
}

/** A segment that starts, or that is queued again. Without `start` it has no launcher. */
export interface SegmentChange {
  readonly segment: number
  readonly start?: SegmentStart | undefined
}

/** Content of an ended run, or of a pause. */
export type OutcomeContent =
  | { readonly output: unknown; readonly outputPreview: string | null }
  | { readonly error?: string | undefined }
  | { readonly interrupts: readonly Interrupt[]; readonly checkpoint: unknown }

/** Writes of one decision in addition to its events. */
export interface RunWrite {
  readonly entries: readonly NewJournal[]
  /** Number of the launcher's last entry. */
  readonly launcherN?: number | undefined
  /** Bytes that are stored outside the journal. */
  readonly contentBytes?: number | undefined
  readonly queue?: QueueChange | undefined
  readonly segment?: SegmentChange | undefined
  readonly stored?: OutcomeContent | undefined
}

/**
 * Writes a change of a run in one statement; false if the lease or the journal differs from the given one. The row of the lease is locked first, the
 * shard of the stored bytes until COMMIT.
 */
export async function writeRun(
  db: RunsTx,
  { run, epoch, journalSeq }: Pick<LockedRun, 'run' | 'epoch' | 'journalSeq'>,
  write: RunWrite,
): Promise<boolean> {
  const { entries, queue, stored, contentBytes = 0 } = write
  const bytes = journalBytes(entries) + contentBytes
  const { rows } = await sql`
    with lease as (
      update runs_lease set ${sql.join(leaseColumns(write, bytes))}
      where run_id = ${run.id} and epoch = ${epoch} and journal_seq = ${journalSeq}
      returning run_id, namespace_uid)
    ${part(entries.length > 0, 'journal', () => insertEntries(entries))}
    ${part(stored !== undefined, 'content', () => updateContent(stored ?? {}))}
    ${part(queue?.state === 'done', 'partial', () => sql`delete from runs_partial using lease where runs_partial.run_id = lease.run_id`)}
    ${part(bytes !== 0, 'storage', () => addStoredBytes(bytes))}
    select from lease`.execute(db)
  return rows.length > 0
}

function part(isNeeded: boolean, name: string, query: () => RawBuilder<unknown>): RawBuilder<unknown> {
  return isNeeded ? sql`, ${sql.ref(name)} as (${query()})` : sql``
}

function leaseColumns({ entries, launcherN, queue, segment }: RunWrite, bytes: number): readonly RawBuilder<unknown>[] {
  const last = entries.at(-1)?.seq
  return [
    sql`bytes = bytes + ${bytes}::bigint`,
    ...(last === undefined ? [] : [sql`journal_seq = ${last}`]),
    ...activityColumns(entries),
    ...(launcherN === undefined ? [] : [sql`launcher_n = ${launcherN}, tries = 0`]),
    ...(queue === undefined ? [] : [queueColumns(queue)]),
    ...(segment === undefined ? [] : [segmentColumns(segment)]),
  ]
}

// A message starts with its first text.
function activityColumns(entries: readonly NewJournal[]): readonly RawBuilder<unknown>[] {
  const first = entries.find(({ kind }) => kind === 'message.started' || kind === 'message.finished')
  const calls = entries.filter(({ kind }) => kind === 'tool.started').length
  return [
    ...(first === undefined ? [] : [sql`first_token_at = coalesce(first_token_at, ${first.ts}::timestamptz)`]),
    ...(calls === 0 ? [] : [sql`tool_calls = tool_calls + ${calls}`]),
  ]
}

function queueColumns({ state, keep }: QueueChange): RawBuilder<unknown> {
  return sql`state = ${state}, wake_at = clock_timestamp()${state === 'waiting' ? sql`, idle_since = clock_timestamp()` : sql``}
    ${keep ? sql`` : sql`, holder = null, expires_at = null`}`
}

// Numbers of launcher entries begin again with each segment.
function segmentColumns({ segment, start }: SegmentChange): RawBuilder<unknown> {
  const launcher = start && JSON.stringify({ ...start.launcher, segment } satisfies LauncherPlace)
  return sql`launcher_n = 0, ticket = ${start?.ticket ?? null}, ticket_segment = ${segment}, launcher = ${launcher ?? null}`
}

function updateContent(content: OutcomeContent): RawBuilder<unknown> {
  return sql`update runs_content set ${sql.join(contentColumns(content))} from lease
    where runs_content.run_id = lease.run_id`
}

function contentColumns(content: OutcomeContent): readonly RawBuilder<unknown>[] {
  const json = (value: unknown): string => JSON.stringify(value ?? null)
  if ('interrupts' in content)
    return [sql`interrupts = ${json(content.interrupts)}, checkpoint = ${json(content.checkpoint)}, resolutions = '[]'`]
  const ended = sql`checkpoint = null`
  if ('output' in content)
    return [ended, sql`output = ${json(content.output)}, output_preview = ${content.outputPreview}`]
  return content.error === undefined ? [ended] : [ended, sql`error = ${content.error}`]
}
