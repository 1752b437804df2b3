import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { OtlpAttributes } from '#core/otlp/span.ts'
import type { TracesTables } from '../contract/tables.ts'
import type { ContentChunk } from '../spans/stored-content.ts'
import type { SpanOwner } from '../spans/stored-span.ts'

/** Bytes of the contents of one response. */
const MOST_BYTES = 16 * 2 ** 20

/** Bytes of contents, which count towards the quota of the namespace. */
export function bytesOf(contents: readonly ContentChunk[]): number {
  return contents.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
}

/** Stores contents in the transaction that stores their spans. */
export async function storeContents(
  db: Transaction<TracesTables>,
  owner: SpanOwner & { readonly namespaceUid: string },
  contents: readonly ContentChunk[],
): Promise<void> {
  if (contents.length === 0) return
  await sql`insert into traces_contents (id, trace_id, run_id, namespace, namespace_uid, agent_uid, bytes, content, stored_at)
    select id, trace_id, run_id, ${owner.namespace}, ${owner.namespaceUid}, ${owner.uid}, bytes, content, now()
    from unnest(${contents.map(() => uuidV7())}::uuid[], ${contents.map(({ traceId }) => traceId)}::text[],
      ${contents.map(({ runId }) => runId)}::text[], ${contents.map(({ content }) => Buffer.byteLength(content))}::integer[],
      ${contents.map(({ content }) => content)}::text[]) as given (id, trace_id, run_id, bytes, content)`.execute(db)
}

/** Spans whose content is read. */
export interface ContentSelection {
  readonly traceId: string
  /** Namespaces of the caller's proofs. */
  readonly namespaces: readonly string[]
  /** Only spans of this run. */
  readonly runId?: string
}

/** Content by {@link contentKey}. Beyond 16 MiB the newest contents are left out. */
export async function readContents(
  db: Reader<TracesTables>,
  { traceId, namespaces, runId }: ContentSelection,
): Promise<ReadonlyMap<string, OtlpAttributes>> {
  const { rows } = await sql<{ agent_uid: string; content: string }>`
    select agent_uid, content from (
      select id, agent_uid, content, sum(bytes) over (order by id) as size from traces_contents
      where trace_id = ${traceId} and namespace = any(${[...namespaces]}::text[]) and ${ofRun(runId)}
        and ${inLiveNamespace('traces_contents.namespace_uid')}
    ) sums where size <= ${MOST_BYTES} order by id`.execute(db)
  return new Map(
    rows.flatMap(({ agent_uid: uid, content }) =>
      Object.entries(JSON.parse(content) as Record<string, OtlpAttributes>).map(
        ([spanId, attributes]) => [contentKey(uid, spanId), attributes] as const,
      ),
    ),
  )
}

/** Namespaces of spans with content, by {@link contentKey}: what a caller without the right to it learns. */
export async function findContents(
  db: Reader<TracesTables>,
  { traceId, namespaces, runId }: ContentSelection,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ namespace: string; agent_uid: string; span_id: string }>`
    select namespace, agent_uid, json_object_keys(content::json) as span_id from traces_contents
    where trace_id = ${traceId} and namespace = any(${[...namespaces]}::text[]) and ${ofRun(runId)}
      and ${inLiveNamespace('traces_contents.namespace_uid')}`.execute(db)
  return new Map(rows.map(({ namespace, agent_uid: uid, span_id: spanId }) => [contentKey(uid, spanId), namespace]))
}

/** Key of a span: spans of two agents may have the same id. */
export function contentKey(agentUid: string, spanId: string): string {
  return `${agentUid} ${spanId}`
}

function ofRun(runId: string | undefined): RawBuilder<boolean> {
  return runId === undefined ? sql`true` : sql`run_id = ${runId}`
}

/** Contents of runs, and of spans of their traces that name no run. */
export function contentsOfRuns(runIds: readonly string[], traceIds: readonly string[]): RawBuilder<unknown> {
  return sql`run_id = any(${[...runIds]}::text[]) or (run_id is null and trace_id = any(${[...traceIds]}::text[]))`
}

/** Removes the selected contents. Returns their owners and bytes, which the caller subtracts. */
export async function removeContents(
  db: Transaction<TracesTables>,
  which: RawBuilder<unknown>,
): Promise<readonly { readonly owner: string; readonly bytes: number }[]> {
  const { rows } = await sql<{ owner: string; bytes: number }>`delete from traces_contents where id in (
      select id from traces_contents where ${which} for update skip locked)
    returning namespace_uid as owner, bytes`.execute(db)
  return rows
}
