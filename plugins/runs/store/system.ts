import { type Kysely, sql, type Transaction } from 'kysely'
import type { Idempotency } from '#core/http/endpoint.ts'
import type { Decision, Interrupt, Resolution } from '#schemas/run.ts'
import type { LauncherAddress, LauncherPlace, NewJournal, RunsTables, SelectedRun } from './tables.ts'

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
  readonly namespaceUid: string
  /** Drives that failed since the launcher's last entry. */
  readonly tries: number
  /** Bytes that the run stores so far. */
  readonly bytes: number
}

/** For how many milliseconds a run has waited for its next segment: since it was made, or since it was resumed. */
export async function waitedMs(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp() - greatest(created_at, (
      select max(ts) from runs_journal where run_id = runs_runs.id and kind = 'run.resumed')))::float8 * 1000 as ms
    from runs_runs where id = ${runId}`.execute(db)
  return rows[0]?.ms ?? 0
}

/** For how many milliseconds the agent has worked on the run's segment, by the database's clock. */
export async function workedMs(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from clock_timestamp() - max(ts))::float8 * 1000 as ms
    from runs_journal where run_id = ${runId} and kind = 'run.started'`.execute(db)
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

/** Returns a claim to the queue, due after a delay; `failed` counts the drive as a try in vain. */
export async function releaseLease(db: Db, claim: Claim, afterMs: number, failed = false): Promise<void> {
  await sql`update runs_lease set holder = null, expires_at = null, tries = tries + ${failed ? 1 : 0},
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
  readonly launcher: LauncherPlace | null
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
    launcher: lease.launcher,
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

/** Creates the queue entry and the content of a new run; returns the bytes of the content, or undefined if its key has a run. */
export async function insertRun(db: Db, run: InsertedRun): Promise<number | undefined> {
  const input = JSON.stringify(run.input ?? null)
  const inserted = await db
    .insertInto('runs_content')
    .values({
      run_id: run.runId,
      input,
      grant_token: run.grant,
      interrupts: '[]',
      resolutions: '[]',
      idempotency_key: run.idempotency?.key ?? null,
      idempotency_request: run.idempotency?.request ?? null,
    })
    .onConflict((on) => on.column('idempotency_key').where('idempotency_key', 'is not', null).doNothing())
    .returning('run_id')
    .executeTakeFirst()
  if (!inserted) return undefined
  await sql`insert into runs_lease (run_id, state, wake_at, idle_since, namespace_uid)
    values (${run.runId}, 'ready', clock_timestamp(), clock_timestamp(), ${run.namespaceUid})`.execute(db)
  return Buffer.byteLength(input) + run.grant.length
}

/** What of a new run is stored beside its event. */
export interface InsertedRun {
  readonly runId: string
  readonly namespaceUid: string
  readonly input: unknown
  readonly grant: string
  readonly idempotency?: Idempotency | undefined
}

/** What an append changes beside the journal: the launcher's own count, and bytes stored elsewhere for the run. */
export interface AppendOptions {
  readonly launcherN?: number | undefined
  readonly contentBytes?: number | undefined
}

/** Writes entries at the given sequence numbers; sets how far journal and launcher have come, and counts the bytes. */
export async function appendJournal(
  db: Db,
  runId: string,
  entries: readonly NewJournal[],
  { launcherN, contentBytes = 0 }: AppendOptions = {},
): Promise<void> {
  if (entries.length > 0)
    await db
      .insertInto('runs_journal')
      .values([...entries])
      .execute()
  const last = entries.at(-1)?.seq
  const bytes = entries.reduce((sum, { data }) => sum + Buffer.byteLength(data), contentBytes)
  if (last === undefined && launcherN === undefined && bytes === 0) return
  // The shard is locked until COMMIT, so it comes after every other row of the run.
  await sql`
    with lease as (
      update runs_lease set journal_seq = coalesce(${last ?? null}::integer, journal_seq), bytes = bytes + ${bytes}::bigint,
        launcher_n = coalesce(${launcherN ?? null}::integer, launcher_n),
        tries = case when ${launcherN ?? null}::integer is null then tries else 0 end
      where run_id = ${runId} returning namespace_uid)
    insert into runs_storage (namespace_uid, shard, bytes)
      select namespace_uid, right(${runId}::text, 1), ${bytes}::bigint from lease
      on conflict (namespace_uid, shard) do update set bytes = runs_storage.bytes + excluded.bytes`.execute(db)
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

/** Adds the answer to an interrupt, for the agent and for readers of the run. The grant stays that of its subject (ADR 0022). */
export async function saveResolution(db: Db, runId: string, resolution: Resolution, decision: Decision): Promise<void> {
  await sql`update runs_content set resolutions = resolutions || ${JSON.stringify([resolution])}::jsonb,
    decisions = decisions || ${JSON.stringify([decision])}::jsonb where run_id = ${runId}`.execute(db)
}

/** Replaces a grant that runs out, unless another process has. */
export async function replaceGrant(db: Db, runId: string, old: string, grant: string): Promise<void> {
  await db
    .updateTable('runs_content')
    .set({ grant_token: grant })
    .where('run_id', '=', runId)
    .where('grant_token', '=', old)
    .execute()
}

/** What the worker sends to the launcher. */
export function readContent(db: Db, runId: string) {
  return db.selectFrom('runs_content').selectAll().where('run_id', '=', runId).executeTakeFirst()
}

/** The newest succeeded exchanges of one subject's conversation with an agent, newest first (F7). */
export function readHistory(
  db: Db,
  {
    agentUid,
    subject,
    conversationId,
  }: { readonly agentUid: string; readonly subject: string; readonly conversationId: string },
  limit: number,
) {
  return db
    .selectFrom('runs_runs')
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .select(['runs_content.input', 'runs_content.output'])
    .where('agent_uid', '=', agentUid)
    .where('conversation_id', '=', conversationId)
    .where('subject', '=', subject)
    .where('state', '=', 'succeeded')
    .orderBy('runs_runs.created_at', 'desc')
    .limit(limit)
    .execute()
}

/**
 * Locks queue entries in one order, before several runs are changed in one transaction: each change also locks a row of
 * `runs_storage`, which writers of other runs share.
 */
export async function lockLeases(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`select 1 from runs_lease where run_id = any(${[...ids]}::uuid[]) order by run_id for update`.execute(db)
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
