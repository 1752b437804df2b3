import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { NewJournal, RunsTables, RunsTx, SelectedRun } from '../../contract/tables.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { IndexedAgent } from '../../previews/preview-rule.ts'
import type { Decision, Resolution } from '#schemas/runs/run.ts'
import type { Db } from './db.ts'
import { addStoredBytes, insertEntries, journalBytes } from './journal.ts'

/**
 * Creates content, queue entry and first journal entries of a new run in one statement; false if its idempotency key has a run. The
 * shard of the stored bytes is locked until COMMIT.
 */
export async function insertRun(db: RunsTx, run: InsertedRun, queued: readonly NewJournal[]): Promise<boolean> {
  const input = JSON.stringify(run.input ?? null)
  const bytes = Buffer.byteLength(input) + run.grant.length + journalBytes(queued)
  const { rows } = await sql`
    with content as (
      insert into runs_content
        (run_id, input, input_preview, grant_token, interrupts, resolutions, idempotency_key, idempotency_request, deadline, revision)
      values (${run.runId}, ${input}, ${run.inputPreview ?? null}, ${run.grant}, '[]', '[]', ${run.idempotency?.key ?? null},
        ${run.idempotency?.request ?? null}, ${run.deadline ?? null}::timestamptz,
        ${run.revision ?? null}::integer)
      on conflict (idempotency_key) where idempotency_key is not null do nothing returning run_id),
    lease as (
      insert into runs_lease (run_id, state, wake_at, idle_since, namespace_uid, journal_seq, bytes)
      select run_id, 'ready', clock_timestamp(), clock_timestamp(), ${run.namespaceUid}::text,
        ${queued.at(-1)?.seq ?? 0}::integer, ${bytes}::bigint from content
      returning run_id, namespace_uid),
    journal as (${insertEntries(queued)}),
    storage as (${addStoredBytes(bytes)})
    select run_id from content`.execute(db)
  return rows.length > 0
}

/** Data of a new run that is stored in addition to its event. */
export interface InsertedRun {
  readonly runId: string
  readonly namespaceUid: string
  readonly input: unknown
  readonly inputPreview?: string | null | undefined
  readonly grant: string
  readonly idempotency?: Idempotency | undefined
  readonly deadline?: Date | undefined
  readonly revision?: number | undefined
}

/** The only revision that may start a run; null: any. */
export async function readRevision(db: Pick<Kysely<RunsTables>, 'selectFrom'>, runId: string): Promise<number | null> {
  const row = await db.selectFrom('runs_content').select('revision').where('run_id', '=', runId).executeTakeFirst()
  return row?.revision ?? null
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

/** Replaces an expiring grant, unless another process has replaced it. */
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

/**
 * Reads the content of a run, the indexed fields of its agent, and whether its conversation has a succeeded exchange, so that the history of a new one is
 * not read.
 */
export function readInvocation(db: Db, run: SelectedRun) {
  return selectInvocation.first(db, { runId: run.id, ...conversationOf(run) })
}

const selectInvocation = defineStatement((db: Kysely<RunsTables>, p: Placeholders<Conversation & { runId: string }>) =>
  db
    .selectFrom('runs_content')
    .selectAll()
    .select(({ exists }) => exists(ofConversation(db, p).select(sql.lit(1).as('one'))).as('has_history'))
    .select(
      sql<IndexedAgent>`(select spec from object_index where uid = ${p.agentUid} and kind = 'AgentDeployment')`.as(
        'agent_spec',
      ),
    )
    .where('run_id', '=', p.runId),
)

/** Conversation of one subject with an agent. */
export interface Conversation {
  readonly agentUid: string
  readonly subject: string
  readonly conversationId: string
}

/** The conversation of a run. Runs without an agent have none. */
export function conversationOf(run: SelectedRun): Conversation {
  return { agentUid: run.agent_uid ?? '', subject: run.subject, conversationId: run.conversation_id }
}

function ofConversation(db: Db, { agentUid, subject, conversationId }: Conversation | Placeholders<Conversation>) {
  return db
    .selectFrom('runs_runs')
    .where('agent_uid', '=', agentUid)
    .where('conversation_id', '=', conversationId)
    .where('subject', '=', subject)
    .where('state', '=', 'succeeded')
}

/** Latest succeeded exchanges of a conversation, newest first (F7). */
export function readHistory(db: Db, conversation: Conversation, limit: number) {
  return ofConversation(db, conversation)
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .select(['runs_content.input', 'runs_content.output'])
    .orderBy('runs_runs.created_at', 'desc')
    .limit(limit)
    .execute()
}
