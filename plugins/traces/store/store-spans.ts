import { bytesOf, storeContents } from './contents.ts'
import { mergeSummaries } from './summaries.ts'
import { spanUsage } from './usage.ts'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { SpanOwner, TraceChunk } from '../spans/stored-span.ts'
import type { TracesTables } from '../contract/tables.ts'

/** Quotas; spans above them are not stored. */
export interface SpanQuotas {
  readonly spansPerTrace: number
  readonly bytesPerNamespace: number
}

/** Thrown when the namespace would exceed its quota, so that the transaction stores nothing. */
export class NamespaceFull extends Error {
  override readonly name = 'NamespaceFull'
}

/** Stores chunks, in the order of their traces. Returns the number of stored spans: a trace above its quota is skipped. Throws `NamespaceFull`. */
export async function storeSpans(
  tx: Tx,
  owner: SpanOwner,
  chunks: readonly TraceChunk[],
  { spansPerTrace, bytesPerNamespace }: SpanQuotas,
): Promise<number> {
  const db = tx.tables<TracesTables>()
  const within = await countSpans(db, owner.uid, chunks, spansPerTrace)
  const kept = chunks.filter(({ traceId }) => within.has(traceId))
  if (kept.length === 0) return 0
  const rows = kept.map((chunk) => ({ ...chunk, id: uuidV7(), bytes: Buffer.byteLength(chunk.content) }))
  // Spans of a deleted namespace are not stored.
  const contents = kept.flatMap((chunk) => chunk.contents)
  const added = { bytes: sumOf(rows, 'bytes') + bytesOf(contents) }
  const used = await spanUsage.addUpTo(db, liveNamespaceUid(owner.namespace), added, { bytes: bytesPerNamespace })
  const uid = used?.owner
  if (uid === undefined) throw new NamespaceFull('the namespace has no room for spans')
  await sql`insert into traces_chunks
      (id, trace_id, namespace, namespace_uid, agent_uid, agent_name, spans, bytes, content, stored_at)
    select id, trace_id, ${owner.namespace}, ${uid}, ${owner.uid}, ${owner.name}, spans, bytes, content, now()
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ traceId }) => traceId)}::text[],
      ${rows.map(({ spans }) => spans)}::integer[], ${rows.map(({ bytes }) => bytes)}::integer[],
      ${rows.map(({ content }) => content)}::text[]) as given (id, trace_id, spans, bytes, content)`.execute(db)
  await storeContents(db, { ...owner, namespaceUid: uid }, contents)
  await mergeSummaries(db, { ...owner, namespaceUid: uid }, kept)
  return sumOf(rows, 'spans')
}

function sumOf<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((sum, row) => sum + row[key], 0)
}

// The rows are locked until COMMIT in the order of the traces, so that concurrent requests never exceed the quota.
async function countSpans(
  db: Transaction<TracesTables>,
  agentUid: string,
  chunks: readonly TraceChunk[],
  most: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ trace_id: string }>`
    insert into traces_totals as t (trace_id, agent_uid, spans)
    select trace_id, ${agentUid}, spans
    from unnest(${chunks.map(({ traceId }) => traceId)}::text[], ${chunks.map(({ spans }) => spans)}::integer[])
      as given (trace_id, spans)
    where spans <= ${most}
    on conflict (trace_id, agent_uid) do update set spans = t.spans + excluded.spans
      where t.spans + excluded.spans <= ${most}
    returning trace_id`.execute(db)
  return new Set(rows.map(({ trace_id: traceId }) => traceId))
}
