import type { RunsTx } from '../tables.ts'
import { sql } from 'kysely'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { Decision, Interrupt, Resolution } from '#schemas/run.ts'
import type { Db } from './db.ts'

/** Creates the queue entry and the content of a new run; returns the bytes of the content, or undefined if its key has a run. */
export async function insertRun(db: RunsTx, run: InsertedRun): Promise<number | undefined> {
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

/** Data of a new run that is stored beside its event. */
export interface InsertedRun {
  readonly runId: string
  readonly namespaceUid: string
  readonly input: unknown
  readonly grant: string
  readonly idempotency?: Idempotency | undefined
}

/** Stores the output or error of an ended run. */
export async function saveOutcome(
  db: RunsTx,
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

/** Stores the interrupts of a pause and the checkpoint of the agent. */
export async function savePause(
  db: RunsTx,
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
export async function saveResolution(
  db: RunsTx,
  runId: string,
  resolution: Resolution,
  decision: Decision,
): Promise<void> {
  await sql`update runs_content set resolutions = resolutions || ${JSON.stringify([resolution])}::jsonb,
    decisions = decisions || ${JSON.stringify([decision])}::jsonb where run_id = ${runId}`.execute(db)
}

/** Replaces an expiring grant, unless another process has. */
export async function replaceGrant(db: RunsTx, runId: string, old: string, grant: string): Promise<void> {
  await db
    .updateTable('runs_content')
    .set({ grant_token: grant })
    .where('run_id', '=', runId)
    .where('grant_token', '=', old)
    .execute()
}

/** Reads the content of a run, for its invocation. */
export function readContent(db: Db, runId: string) {
  return db.selectFrom('runs_content').selectAll().where('run_id', '=', runId).executeTakeFirst()
}

/** Latest succeeded exchanges of one subject's conversation with an agent, newest first (F7). */
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
