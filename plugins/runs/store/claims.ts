import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { leaseSeconds } from './internal/lease.ts'
import type { Claim } from './internal/lease.ts'
import type { LeaseRow, RunsTx, SelectedRun } from '../contract/tables.ts'

/** Request of a worker for runs. */
export interface ClaimRequest {
  readonly holder: string
  /** Free capacity of the worker, in runs. */
  readonly limit: number
  /** Maximum number of runs of one namespace in this worker. */
  readonly share: number
  /** Runs in this worker by namespace uid. */
  readonly held: ReadonlyMap<string, number>
}

/** Claimed runs, and whether more are due that this worker could claim. */
export interface ClaimedRuns {
  readonly claims: readonly Claim[]
  readonly more: boolean
}

/**
 * Claims due runs without a lease, in turns: first the namespace with the fewest runs in this worker, then the run that has waited longest. Each
 * claim raises the epoch. The recursive query steps from namespace to namespace in the index, so its cost depends on namespaces, not on queued runs.
 */
export async function claimRuns(db: RunsTx, { holder, limit, share, held }: ClaimRequest): Promise<ClaimedRuns> {
  const { rows } = await sql<ClaimedRow>`
    with recursive namespaces (uid) as (
      (select namespace_uid from runs_lease where state = 'ready' order by namespace_uid limit 1)
      union all
      select (select namespace_uid from runs_lease where state = 'ready' and namespace_uid > uid
        order by namespace_uid limit 1) from namespaces where uid is not null),
    shares as (
      select uid, coalesce(places, 0) as places,
        least(${share}::integer - coalesce(places, 0), ceil(${limit}::float8 / count(*) over ())::integer) as take
      from namespaces
      left join unnest(${[...held.keys()]}::text[], ${[...held.values()]}::integer[]) held (namespace, places)
        on namespace = uid
      where uid is not null),
    turns as (
      select due.run_id, due.wake_at, take, places + row_number() over (partition by uid order by due.wake_at) as turn
      from shares cross join lateral (
        select run_id, wake_at from runs_lease
        where state = 'ready' and namespace_uid = uid and wake_at <= clock_timestamp()
          and (expires_at is null or expires_at < clock_timestamp())
        order by wake_at limit greatest(take, 0) for update skip locked) due),
    claimed as (update runs_lease set holder = ${holder}, epoch = epoch + 1,
      expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from (select run_id, take from turns order by turn, wake_at limit ${limit}) taken
    where runs_lease.run_id = taken.run_id
    returning runs_lease.run_id, epoch, journal_seq, launcher_n, ticket, ticket_segment, launcher, tries, bytes, take)
    select * from claimed join runs_runs on id = run_id`.execute(db)
  return { claims: rows.map(toClaim), more: rows.length >= limit || rows.some((row) => isPartOfDue(row, rows)) }
}

// A namespace whose share was fully claimed may have more due runs.
function isPartOfDue({ namespace_uid: uid, take }: ClaimedRow, rows: readonly ClaimedRow[]): boolean {
  return rows.filter((row) => row.namespace_uid === uid).length >= take
}

function toClaim(row: ClaimedRow): Claim {
  const { run_id: runId, epoch, journal_seq: journalSeq, launcher_n: launcherN, ticket, take: _, ...rest } = row
  const { ticket_segment: ticketSegment, launcher, tries, bytes, ...run } = rest
  return {
    runId,
    epoch,
    launcherN,
    ticket,
    ticketSegment,
    launcher,
    namespaceUid: run.namespace_uid,
    tries,
    bytes: Number(bytes),
    held: { run: { run, epoch, journalSeq, leaseState: 'ready', launcher } },
  }
}

type ClaimedRow = SelectedRun & { readonly take: number } & Pick<
    Selectable<LeaseRow>,
    'run_id' | 'epoch' | 'journal_seq' | 'launcher_n' | 'ticket' | 'ticket_segment' | 'launcher' | 'tries' | 'bytes'
  >
