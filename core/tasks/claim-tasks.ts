import { sql } from 'kysely'
import type { QueryExecutorProvider } from 'kysely'

/** Free capacity of a process for one type of task. */
export interface Capacity {
  readonly type: string
  readonly free: number
  readonly perNamespace: number
}

/** Tasks of a process by type and namespace. */
export interface HeldTasks {
  readonly type: string
  readonly namespace: string
  readonly count: number
}

/** Request of a process for tasks. */
export interface TaskClaimRequest {
  readonly holder: string
  readonly leaseMs: number
  readonly capacities: readonly Capacity[]
  readonly held: readonly HeldTasks[]
}

/** A claimed task. `attempts` includes this one. */
export interface TaskClaim {
  readonly id: string
  readonly type: string
  readonly namespace: string
  readonly namespaceUid: string | null
  readonly key: string | null
  readonly payload: string
  readonly attempts: number
  readonly epoch: bigint
  readonly traceparent: string | null
  readonly enqueuedAt: Date
  /** Seconds since the task was due. */
  readonly waitedSeconds: number
}

/** Result of a claim. */
export interface TaskClaims {
  readonly claims: readonly TaskClaim[]
  /** Milliseconds until the next scheduled task of a type with free capacity is due; undefined without one. */
  readonly dueInMs: number | undefined
}

/**
 * Claims due tasks without a lease, in turns: first the namespace with the fewest tasks in this process, then the task that is due
 * longest. Each claim raises epoch and attempts. May return fewer than the capacity although more are due; an empty result means that none
 * is. The recursive query steps from namespace to namespace in the index, so its cost depends on namespaces, not on queued tasks.
 */
export async function claimTasks(
  db: QueryExecutorProvider,
  { holder, leaseMs, capacities, held }: TaskClaimRequest,
): Promise<TaskClaims> {
  const { rows } = await sql<ClaimedRow>`
    with recursive capacity as (
      select * from unnest(${capacities.map(({ type }) => type)}::text[], ${capacities.map(({ free }) => free)}::integer[],
        ${capacities.map(({ perNamespace }) => perNamespace)}::integer[]) as c(type, free, most)),
    pairs (type, namespace, free, most) as (
      select c.type, first.namespace, c.free, c.most from capacity c cross join lateral (
        select namespace from tasks where state = 'ready' and type = c.type order by namespace limit 1) first
      union all
      select p.type, next.namespace, p.free, p.most from pairs p cross join lateral (
        select namespace from tasks where state = 'ready' and type = p.type and namespace > p.namespace
        order by namespace limit 1) next),
    shares as (
      select p.*, coalesce(h.count, 0) as places,
        least(p.most - coalesce(h.count, 0), ceil(p.free::float8 / count(*) over (partition by p.type))::integer) as take
      from pairs p left join unnest(${held.map(({ type }) => type)}::text[], ${held.map((one) => one.namespace)}::text[],
        ${held.map(({ count }) => count)}::integer[]) as h(type, namespace, count) using (type, namespace)
      where exists (select 1 from tasks t where t.state = 'ready' and t.type = p.type and t.namespace = p.namespace
        and t.due_at <= clock_timestamp() and (t.expires_at is null or t.expires_at < clock_timestamp()))),
    turns as (
      select due.id, due.due_at, s.type, s.free,
        s.places + row_number() over (partition by s.type, s.namespace order by due.due_at) as turn
      from shares s cross join lateral (
        select id, due_at from tasks t where t.state = 'ready' and t.type = s.type and t.namespace = s.namespace
          and t.due_at <= clock_timestamp() and (t.expires_at is null or t.expires_at < clock_timestamp())
        order by due_at limit greatest(s.take, 0) for update skip locked) due),
    chosen as (select id, free, row_number() over (partition by type order by turn, due_at) as place from turns),
    -- Its bound is before all times that the claim compares with: no task falls between the two.
    upcoming as (select min(later.due_at) as due_at from pairs p cross join lateral (
      select due_at from tasks t where t.state = 'ready' and t.type = p.type and t.namespace = p.namespace
        and t.due_at > statement_timestamp()
      order by due_at limit 1) later),
    claimed as (update tasks set holder = ${holder}, epoch = epoch + 1, attempts = attempts + 1,
      expires_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    where id in (select id from chosen where place <= free)
    returning id::text as id, type, namespace, namespace_uid as "namespaceUid", key, payload, attempts, epoch, traceparent,
      enqueued_at as "enqueuedAt", greatest(0, extract(epoch from clock_timestamp() - due_at))::float8 as "waitedSeconds")
    select claimed.*, extract(epoch from upcoming.due_at - clock_timestamp())::float8 * 1000 as "dueInMs"
    from upcoming left join claimed on true`.execute(db)
  // One row without a task if none is claimed.
  return {
    claims: rows.filter((row): row is TaskClaim & Due => row.id !== null),
    dueInMs: rows[0]?.dueInMs ?? undefined,
  }
}

interface Due {
  readonly dueInMs: number | null
}

type ClaimedRow = (TaskClaim | { readonly id: null }) & Due
