import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace, liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import { MAX_COUNTED_TURNS, MAX_TURN_BYTES } from '#schemas/api/conversations.ts'
import type { RunState } from '#schemas/runs/run.ts'
import type { ConversationRow, RunsTables, SelectedRun } from '../contract/tables.ts'

type Db = Reader<RunsTables>

/** Filters of a list of conversations. */
export interface ConversationFilter {
  readonly agent?: string | undefined
  readonly subject?: string | undefined
}

/** A conversation with its bounded number of turns, and its newest turn unless that was removed. */
export type ListedConversation = ConversationRow & { readonly turns: number; readonly last_state: RunState | null }

/** A page of the conversations of the proof's namespace, the newest first. Each filter has an index, and turns are counted up to a bound. */
export async function listConversations(
  db: Db,
  { namespace }: Access<'list', 'runs'>,
  filter: ConversationFilter,
  page: RowPage,
): Promise<readonly ListedConversation[]> {
  const { rows } = await selectConversations(namespace, filter, page).execute(db)
  return rows
}

/** The statement of `listConversations`. */
export function selectConversations(
  namespace: string,
  { agent, subject }: ConversationFilter,
  { limit, after: [at, id] = [] }: RowPage,
): RawBuilder<ListedConversation> {
  const conditions = [
    namespace === ''
      ? // As a scalar: a semi-join would read and sort every conversation before the first page.
        sql`(select ${inLiveNamespace('c.namespace_uid')})`
      : sql`c.namespace = ${namespace} and c.namespace_uid = ${liveNamespaceUid(namespace)}`,
    ...(agent === undefined ? [] : [sql`c.agent_name = ${agent}`]),
    ...(subject === undefined ? [] : [sql`c.subject = ${subject}`]),
    ...(id === undefined ? [] : [sql`(c.last_at, c.last_run_id) < (${at}::timestamptz, ${id}::uuid)`]),
  ]
  return sql<ListedConversation>`
    select page.*, last.state as last_state, (select count(*)::int from (
      select from runs_runs r where r.agent_uid = page.agent_uid and r.conversation_id = page.conversation_id
        and r.subject = page.subject collate "default" limit ${sql.lit(MAX_COUNTED_TURNS)}) counted) as turns
    from (select c.* from runs_conversations c where ${sql.join(conditions, sql` and `)}
      order by c.last_at desc, c.last_run_id desc limit ${limit}) page
    left join runs_runs last on last.id = page.last_run_id
    order by page.last_at desc, page.last_run_id desc`
}

/** A subject of a namespace, with its bounded number of conversations. */
export interface ListedSubject {
  readonly namespace: string
  readonly namespace_uid: string
  readonly subject: string
  readonly conversations: number
  readonly last_at: Date
}

/** A page of the subjects of the proof's namespace, by namespace and name; `q` is a prefix. Reads one entry of an index for each. */
export async function listSubjects(
  db: Db,
  { namespace }: Access<'list', 'runs'>,
  q: string,
  { limit, after: [place, name] = ['', ''] }: RowPage,
): Promise<readonly ListedSubject[]> {
  const places =
    namespace === ''
      ? sql`(select min(namespace_uid) from runs_conversations where namespace_uid >= ${place})
        union all select (select min(namespace_uid) from runs_conversations where namespace_uid > p.uid)
        from places p where p.uid is not null`
      : sql`select ${liveNamespaceUid(namespace)} as uid`
  const { rows } = await sql<ListedSubject>`
    with recursive places(uid) as (${places}),
    page as (select p.uid, s.subject from places p cross join lateral (
      with recursive found(subject) as (
        (select subject from runs_conversations where namespace_uid = p.uid and subject >= ${q}
          and subject > case when p.uid = ${place} then ${name} else '' end order by subject limit 1)
        union all
        select (select subject from runs_conversations where namespace_uid = p.uid and subject > f.subject
          order by subject limit 1)
        from found f where f.subject is not null and starts_with(f.subject, ${q}))
      select subject from found where subject is not null and starts_with(subject, ${q}) limit ${limit}) s
      where p.uid is not null and ${inLiveNamespace(sql`p.uid`)} limit ${limit})
    select newest.namespace, page.uid as namespace_uid, page.subject, newest.last_at,
      (select count(*)::int from (select from runs_conversations c where c.namespace_uid = page.uid
        and c.subject = page.subject limit ${sql.lit(MAX_COUNTED_TURNS)}) counted) as conversations
    from page cross join lateral (select namespace, last_at from runs_conversations c
      where c.namespace_uid = page.uid and c.subject = page.subject
      order by c.last_at desc, c.last_run_id desc limit 1) newest
    order by page.uid, page.subject`.execute(db)
  return rows
}

// A conversation id across more namespaces than this is not one conversation.
const MAX_NAMESPACES = 20

/** Namespaces that have turns of a conversation: the only field that may be read before the access reviews. */
export async function namespacesOfConversation(db: Db, id: string): Promise<readonly string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(select r.namespace_uid from runs_runs r
    where r.conversation_id = ${id} and r.namespace_uid > ${after} order by r.namespace_uid limit 1)`
  const { rows } = await sql<{ namespace: string }>`
    with recursive places(uid) as (select ${next(sql`''`)} union all
      select ${next(sql`p.uid`)} from places p where p.uid is not null)
    select (select namespace from runs_runs r where r.conversation_id = ${id} and r.namespace_uid = p.uid limit 1)
    from places p where p.uid is not null and ${inLiveNamespace(sql`p.uid`)} limit ${sql.lit(MAX_NAMESPACES)}`.execute(
    db,
  )
  return rows.map(({ namespace }) => namespace)
}

/** A turn with its content; a text above the bound is null. */
export type SelectedTurn = SelectedRun & {
  readonly input: unknown
  readonly output: unknown
  readonly content_error: string | null
  readonly truncated: boolean
}

/** Turns of a conversation in the proof's namespace after one of them, oldest first. */
export async function readTurnPage(
  db: Db,
  { namespace }: Access<'get', 'runs'>,
  { id, agent, subject }: ConversationFilter & { readonly id: string },
  { limit, after: [at, runId] = [] }: RowPage,
): Promise<readonly SelectedTurn[]> {
  const conditions = [
    sql`conversation_id = ${id} and namespace_uid = ${liveNamespaceUid(namespace)}`,
    // Runs of the platform are no turns.
    agent === undefined ? sql`agent_uid is not null` : sql`agent_name = ${agent}`,
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
    ...(runId === undefined ? [] : [sql`(created_at, id) > (${at}::timestamptz, ${runId}::uuid)`]),
  ]
  const { rows } = await sql<SelectedTurn>`
    select page.*, content.error as content_error, ${within('input')}, ${within('output')},
      coalesce(greatest(${sizeOf('input')}, ${sizeOf('output')}) > ${sql.lit(MAX_TURN_BYTES)}, false) as truncated
    from (select * from runs_runs where ${sql.join(conditions, sql` and `)} order by created_at, id limit ${limit}) page
    left join runs_content content on content.run_id = page.id
    order by page.created_at, page.id`.execute(db)
  return rows
}

const sizeOf = (column: string) => sql`octet_length(${sql.ref(`content.${column}`)}::text)`

const within = (column: string) =>
  sql`case when ${sizeOf(column)} <= ${sql.lit(MAX_TURN_BYTES)} then ${sql.ref(`content.${column}`)} end as ${sql.ref(column)}`
