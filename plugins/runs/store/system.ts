import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Interrupt, Resolution } from '#schemas/run.ts'
import type { LauncherAddress, LauncherPlace, LeaseRow, NewJournal, RunsTables, SelectedRun } from './tables.ts'

/**
 * System-side statements of runs: they take ids, not proofs, so `routes.ts` may not import this file.
 * Every writer locks the run's lease row first; that row orders the journal and carries the epoch.
 */
type Db = Kysely<RunsTables> | Transaction<RunsTables>

/** How long a lease lasts without renewal. */
export const leaseSeconds = 30

/** What a worker holds of a run it has claimed. */
export interface Claim {
  readonly runId: string
  readonly epoch: number
  readonly launcherN: number
  /** The launcher's ticket under which a segment was begun, and that segment. */
  readonly ticket: string | null
  readonly ticketSegment: number | null
  /** Where a segment was begun last: the launcher that has it, or had one before. */
  readonly launcher: LauncherPlace | null
}

/** Takes up to `limit` runs that are ready and that nobody holds; each claim raises the epoch. */
export async function claimRuns(db: Db, holder: string, limit: number): Promise<readonly Claim[]> {
  const { rows } = await sql<ClaimedRow>`
    update runs_lease set holder = ${holder}, epoch = epoch + 1,
      expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where run_id in (
      select run_id from runs_lease
      where state = 'ready' and wake_at <= clock_timestamp() and (expires_at is null or expires_at < clock_timestamp())
      order by wake_at limit ${limit} for update skip locked)
    returning run_id, epoch, launcher_n, ticket, ticket_segment, launcher`.execute(db)
  return rows.map((row) => ({
    runId: row.run_id,
    epoch: row.epoch,
    launcherN: row.launcher_n,
    ticket: row.ticket,
    ticketSegment: row.ticket_segment,
    launcher: row.launcher,
  }))
}

type ClaimedRow = Pick<
  Selectable<LeaseRow>,
  'run_id' | 'epoch' | 'launcher_n' | 'ticket' | 'ticket_segment' | 'launcher'
>

/** For how many milliseconds a run has waited for its next segment: since it was made, or since it was resumed. */
export async function waitedMs(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp() - greatest(created_at, (
      select max(ts) from runs_journal where run_id = runs_runs.id and kind = 'run.resumed')))::float8 * 1000 as ms
    from runs_runs where id = ${runId}`.execute(db)
  return rows[0]?.ms ?? 0
}

/** Prolongs leases; returns the runs that are still this holder's. */
export async function renewLeases(db: Db, holder: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ run_id: string; epoch: number }>`
    update runs_lease set expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where holder = ${holder} and state = 'ready' and expires_at > clock_timestamp()
    returning run_id, epoch`.execute(db)
  return new Set(rows.map((row) => `${row.run_id}/${row.epoch}`))
}

/** Gives a claim back, to be taken again by anybody after a while. */
export async function releaseLease(db: Db, claim: Claim, afterMs: number): Promise<void> {
  await sql`update runs_lease set holder = null, expires_at = null,
      wake_at = clock_timestamp() + make_interval(secs => ${afterMs / 1000})
    where run_id = ${claim.runId} and epoch = ${claim.epoch} and state = 'ready'`.execute(db)
}

/** A locked run: its row and where its journal and lease stand. */
export interface LockedRun {
  readonly run: SelectedRun
  readonly epoch: number
  readonly journalSeq: number
  readonly leaseState: 'ready' | 'waiting' | 'done'
  readonly idleSince: Date
}

/** Locks a run for writing; undefined when it does not exist (any more). */
export async function lockRun(db: Db, runId: string): Promise<LockedRun | undefined> {
  const lease = await db.selectFrom('runs_lease').selectAll().where('run_id', '=', runId).forUpdate().executeTakeFirst()
  if (!lease) return undefined
  const run = await findRun(db, runId)
  if (!run) return undefined
  return {
    run,
    epoch: lease.epoch,
    journalSeq: lease.journal_seq,
    leaseState: lease.state,
    idleSince: lease.idle_since,
  }
}

/** A run by id, without any proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return db.selectFrom('runs_runs').selectAll().where('id', '=', runId).executeTakeFirst()
}

/**
 * Whether an agent is observed alive. It stays so until the transaction has ended, because its deletion waits for the lock:
 * a run that is made here is either refused or comes before the deletion, whose pruning then finds it.
 */
export async function holdAgent(db: Db, uid: string): Promise<boolean> {
  const query = db.selectFrom('observed').select('uid').where('uid', '=', uid).where('deleted_at', 'is', null)
  return (await query.forShare().executeTakeFirst()) !== undefined
}

/** Creates the queue entry and the content of a new run. */
export async function insertRun(
  db: Db,
  run: { readonly runId: string; readonly input: unknown; readonly grant: string },
): Promise<void> {
  await db
    .insertInto('runs_content')
    .values({
      run_id: run.runId,
      input: JSON.stringify(run.input ?? null),
      grant_token: run.grant,
      interrupts: '[]',
      resolutions: '[]',
    })
    .execute()
  await sql`insert into runs_lease (run_id, state, wake_at, idle_since)
    values (${run.runId}, 'ready', clock_timestamp(), clock_timestamp())`.execute(db)
}

/** Writes entries at the given sequence numbers and remembers how far the journal and the launcher's own count are. */
export async function appendJournal(
  db: Db,
  runId: string,
  entries: readonly NewJournal[],
  launcherN?: number,
): Promise<void> {
  if (entries.length > 0)
    await db
      .insertInto('runs_journal')
      .values([...entries])
      .execute()
  const last = entries.at(-1)?.seq
  if (last === undefined && launcherN === undefined) return
  await db
    .updateTable('runs_lease')
    .set({
      ...(last === undefined ? {} : { journal_seq: last }),
      ...(launcherN === undefined ? {} : { launcher_n: launcherN }),
    })
    .where('run_id', '=', runId)
    .execute()
}

/** Sets what the queue shall do with the run from now on: work on it, wait for a person, or nothing more. */
export async function setLease(
  db: Db,
  runId: string,
  state: 'ready' | 'waiting' | 'done',
  keep: boolean,
): Promise<void> {
  await sql`update runs_lease set state = ${state}, wake_at = clock_timestamp(),
      idle_since = case when ${state} = 'waiting' then clock_timestamp() else idle_since end,
      holder = case when ${keep} then holder end, expires_at = case when ${keep} then expires_at end
    where run_id = ${runId}`.execute(db)
}

/** Where a segment begins, and under which ticket. */
export interface Beginning {
  readonly ticket: string | undefined
  readonly launcher: LauncherAddress
}

/** A new segment counts the launcher's entries from the beginning; without `beginning` it has none yet. */
export async function beginSegment(db: Db, runId: string, segment: number, beginning?: Beginning): Promise<void> {
  const launcher = beginning && JSON.stringify({ ...beginning.launcher, segment } satisfies LauncherPlace)
  await db
    .updateTable('runs_lease')
    .set({
      launcher_n: 0,
      ticket: beginning?.ticket ?? null,
      ticket_segment: segment,
      launcher: launcher ?? null,
    })
    .where('run_id', '=', runId)
    .execute()
}

/** Stores what a run ended with. */
export async function saveOutcome(
  db: Db,
  runId: string,
  outcome: { readonly output?: unknown; readonly error?: string },
): Promise<void> {
  await db
    .updateTable('runs_content')
    .set({
      ...('output' in outcome ? { output: JSON.stringify(outcome.output ?? null) } : {}),
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
      checkpoint: null,
    })
    .where('run_id', '=', runId)
    .execute()
}

/** Stores the questions of a pause and where the agent stood. */
export async function savePause(
  db: Db,
  runId: string,
  interrupts: readonly Interrupt[],
  checkpoint: unknown,
): Promise<void> {
  await db
    .updateTable('runs_content')
    .set({
      interrupts: JSON.stringify(interrupts),
      checkpoint: JSON.stringify(checkpoint ?? null),
      resolutions: '[]',
    })
    .where('run_id', '=', runId)
    .execute()
}

/** Adds the answer to an interrupt and the grant of the person who gave it. */
export async function saveResolution(db: Db, runId: string, resolution: Resolution, grant: string): Promise<void> {
  await sql`update runs_content set resolutions = resolutions || ${JSON.stringify([resolution])}::jsonb,
    grant_token = ${grant} where run_id = ${runId}`.execute(db)
}

/** What the worker sends to the launcher. */
export function readContent(db: Db, runId: string) {
  return db.selectFrom('runs_content').selectAll().where('run_id', '=', runId).executeTakeFirst()
}

/** The newest succeeded exchanges of a conversation with an agent, newest first. */
export function readHistory(db: Db, agentUid: string, conversationId: string, limit: number) {
  return db
    .selectFrom('runs_runs')
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .select(['runs_content.input', 'runs_content.output'])
    .where('agent_uid', '=', agentUid)
    .where('conversation_id', '=', conversationId)
    .where('state', '=', 'succeeded')
    .orderBy('runs_runs.created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Runs that this run started and that have not ended. */
export async function openChildren(db: Db, runId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs_runs')
    .select('id')
    .where('parent_run_id', '=', runId)
    .where('finished_at', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}

/** Ids of runs that belong to a deleted agent or namespace, a page at a time. */
export async function runsOf(
  db: Db,
  owner: { readonly agentUid: string } | { readonly namespaceUid: string },
  limit: number,
) {
  const query = db.selectFrom('runs_runs').select('id').limit(limit)
  const rows = await (
    'agentUid' in owner
      ? query.where('agent_uid', '=', owner.agentUid)
      : query.where('namespace_uid', '=', owner.namespaceUid)
  ).execute()
  return rows.map((row) => row.id)
}

/** Removes everything a run left but its events; the projection's row goes with `runs.deleted`. */
export async function deleteContent(db: Db, runId: string): Promise<void> {
  for (const table of ['runs_partial', 'runs_journal', 'runs_content', 'runs_lease'] as const)
    await db.deleteFrom(table).where('run_id', '=', runId).execute()
}
