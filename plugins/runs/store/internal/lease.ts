import { sql } from 'kysely'
import type { LauncherPlace, RunsTx, SelectedRun } from '../../contract/tables.ts'
import type { Db } from './db.ts'
import { findRun } from './find-run.ts'

/** Seconds until a lease expires without renewal. */
export const leaseSeconds = 30

/** A run claimed by a worker. */
export interface Claim {
  readonly runId: string
  readonly epoch: number
  readonly launcherN: number
  /** Ticket under which a segment was started, and the number of that segment. */
  readonly ticket: string | null
  readonly ticketSegment: number | null
  /** Launcher of the latest started segment. */
  readonly launcher: LauncherPlace | null
  readonly namespaceUid: string
  /** Failed attempts since the launcher's last entry. */
  readonly tries: number
  /** Stored bytes of the run. */
  readonly bytes: number
  readonly held: HeldRun
}

/** The worker's view of a run: as claimed, updated by each of its writes. */
export interface HeldRun {
  run: LockedRun
}

/** Renews the leases of a holder; returns them as `runId/epoch`. */
export async function renewLeases(db: RunsTx, holder: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ run_id: string; epoch: number }>`
    update runs_lease set expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where holder = ${holder} and state = 'ready' and expires_at > clock_timestamp()
    returning run_id, epoch`.execute(db)
  return new Set(rows.map((row) => `${row.run_id}/${row.epoch}`))
}

/** Whether the claim is still the holder of its run. */
export async function holdsLease(db: Db, { runId, epoch }: Pick<Claim, 'runId' | 'epoch'>): Promise<boolean> {
  const lease = db.selectFrom('runs_lease').select('run_id').where('run_id', '=', runId).where('epoch', '=', epoch)
  return (await lease.where('state', '=', 'ready').executeTakeFirst()) !== undefined
}

/** Releases the lease of a run, which is due again after a delay; false if the run is not in the queue. `failed` counts a failed attempt. */
export async function releaseLease(db: RunsTx, claim: Claim, afterMs: number, failed = false): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update runs_lease set holder = null, expires_at = null, tries = tries + ${failed ? 1 : 0},
      wake_at = clock_timestamp() + make_interval(secs => ${afterMs / 1000})
    where run_id = ${claim.runId} and epoch = ${claim.epoch} and state = 'ready'`.execute(db)
  return numAffectedRows !== 0n
}

/** A locked run: its row, last journal number and lease. */
export interface LockedRun {
  readonly run: SelectedRun
  readonly epoch: number
  readonly journalSeq: number
  readonly leaseState: 'ready' | 'waiting' | 'done'
  readonly launcher: LauncherPlace | null
}

/** Locks a run for writing; undefined if it does not exist. */
export async function lockRun(db: RunsTx, runId: string): Promise<LockedRun | undefined> {
  const lease = await db.selectFrom('runs_lease').selectAll().where('run_id', '=', runId).forUpdate().executeTakeFirst()
  if (!lease) return undefined
  const run = await findRun(db, runId)
  if (!run) return undefined
  return {
    run,
    epoch: lease.epoch,
    journalSeq: lease.journal_seq,
    leaseState: lease.state,
    launcher: lease.launcher,
  }
}

/**
 * Locks queue entries in one order, before several runs are changed in one transaction: each change also locks a row of
 * `runs_storage`, which writers of other runs share.
 */
export async function lockLeases(db: RunsTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`select 1 from runs_lease where run_id = any(${[...ids]}::uuid[]) order by run_id for update`.execute(db)
}
