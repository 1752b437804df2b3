import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#core/event-store/store.ts'
import type { BaseRow, KnowledgeTables } from '../contract/tables.ts'

/** A stored knowledge base. */
export type Base = Selectable<BaseRow>

/** Identity of a knowledge base in the cluster. */
export interface BaseIdentity {
  readonly uid: string
  readonly namespace: string
  readonly namespaceUid: string
  readonly name: string
}

/** Settings of a knowledge base, from its spec. */
export interface BaseSettings {
  readonly generation: number
  readonly chunkSize: number
  readonly chunkOverlap: number
  readonly language: string
  readonly route: string | null
  readonly space: string | null
  readonly mostDocuments: number | null
  readonly mostChunks: number | null
}

/** Reads knowledge bases by uid. */
export async function findBases(db: Reader<KnowledgeTables>, uids: readonly string[]): Promise<readonly Base[]> {
  if (uids.length === 0) return []
  return db.selectFrom('knowledge_bases').selectAll().where('uid', 'in', uids).execute()
}

/** Inserts a knowledge base that the manager has not seen yet, with the settings of an empty spec. */
export async function ensureBase(tx: Tx, { uid, namespace, namespaceUid, name }: BaseIdentity): Promise<void> {
  await tx
    .tables<KnowledgeTables>()
    .insertInto('knowledge_bases')
    .values({ uid, namespace, namespace_uid: namespaceUid, name })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .execute()
}

/** Locks a knowledge base: only one transaction at a time changes its counts and documents. Undefined if it was deleted. */
export async function lockBase(tx: Tx, uid: string): Promise<Base | undefined> {
  return tx
    .tables<KnowledgeTables>()
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('uid', '=', uid)
    .forUpdate()
    .executeTakeFirst()
}

/** Stores the settings of a spec. Vectors of another space are no longer counted. */
export async function writeSettings(tx: Tx, uid: string, settings: BaseSettings): Promise<void> {
  const { generation, chunkSize, chunkOverlap, language, route, space, mostDocuments, mostChunks } = settings
  const embedded = sql<number>`case when space is not distinct from ${space} then embedded else (
    select count(*) from knowledge_chunks where base_uid = ${uid} and embedding_space = ${space})::integer end`
  await tx
    .tables<KnowledgeTables>()
    .updateTable('knowledge_bases')
    .set({
      generation: BigInt(generation),
      chunk_size: chunkSize,
      chunk_overlap: chunkOverlap,
      language,
      route,
      space,
      most_documents: mostDocuments,
      most_chunks: mostChunks,
      embedded,
      problem: null,
    })
    .where('uid', '=', uid)
    .execute()
}

/** Number of chunks of all knowledge bases of a namespace. */
export async function chunksOfNamespace(tx: Tx, namespaceUid: string): Promise<number> {
  const row = await tx
    .tables<KnowledgeTables>()
    .selectFrom('knowledge_bases')
    .select(({ fn }) => fn.sum<string | number | null>('chunks').as('total'))
    .where('namespace_uid', '=', namespaceUid)
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

/** Numbers of ingests of a knowledge base. */
export interface IngestCounts {
  readonly pending: number
  readonly failed: number
}

/** Counts open and failed ingests. */
export async function countIngests(db: Reader<KnowledgeTables>, uid: string): Promise<IngestCounts> {
  const { rows } = await sql<IngestCounts>`
    select count(*) filter (where state in ('queued', 'running'))::integer as pending,
      count(*) filter (where state = 'failed')::integer as failed
    from knowledge_ingests where base_uid = ${uid}`.execute(db)
  return rows[0] ?? { pending: 0, failed: 0 }
}

/** Records why the last embedding of a knowledge base ended early; null after a complete one. */
export async function recordProblem(tx: Tx, uid: string, problem: string | null): Promise<void> {
  await sql`update knowledge_bases set problem = ${problem} where uid = ${uid} and problem is distinct from ${problem}`.execute(
    tx.tables(),
  )
}
