import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { leaseSeconds } from './internal/lease.ts'
import type { Claim } from './internal/lease.ts'
import type { LeaseRow, RunsTx } from './tables.ts'

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

/**
 * Claims due runs without a lease, in turns: first the namespace with the fewest runs in this worker, then the run that has waited
 * longest. Each claim raises the epoch. May return fewer than `limit` although more are due; an empty result means that none is.
 * The recursive query steps from namespace to namespace in the index, so its cost depends on namespaces, not on queued runs.
 */
export async function claimRuns(db: RunsTx, { holder, limit, share, held }: ClaimRequest): Promise<readonly Claim[]> {
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
      select due.run_id, due.wake_at, places + row_number() over (partition by uid order by due.wake_at) as turn
      from shares cross join lateral (
        select run_id, wake_at from runs_lease
        where state = 'ready' and namespace_uid = uid and wake_at <= clock_timestamp()
          and (expires_at is null or expires_at < clock_timestamp())
        order by wake_at limit greatest(take, 0) for update skip locked) due)
    update runs_lease set holder = ${holder}, epoch = epoch + 1,
      expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where run_id in (select run_id from turns order by turn, wake_at limit ${limit})
    returning run_id, epoch, launcher_n, ticket, ticket_segment, launcher, namespace_uid, tries, bytes`.execute(db)
  return rows.map((row) => ({
    runId: row.run_id,
    epoch: row.epoch,
    launcherN: row.launcher_n,
    ticket: row.ticket,
    ticketSegment: row.ticket_segment,
    launcher: row.launcher,
    namespaceUid: row.namespace_uid,
    tries: row.tries,
    bytes: Number(row.bytes),
  }))
}

type ClaimedRow = Pick<
  Selectable<LeaseRow>,
  'run_id' | 'epoch' | 'launcher_n' | 'ticket' | 'ticket_segment' | 'launcher' | 'namespace_uid' | 'tries' | 'bytes'
>
