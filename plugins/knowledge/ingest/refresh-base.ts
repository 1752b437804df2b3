import { EmbeddingsUnavailable } from '#core/retrieval/embeddings-error.ts'
import type { RoleEmbeddings } from '#core/retrieval/embeddings.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { TaskFailure } from '#core/tasks/task.ts'
import type { Task, TaskContext } from '#core/tasks/task.ts'
import { chunkText } from '../documents/chunk-text.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import { findBases, lockBase, recordProblem } from '../store/bases.ts'
import type { Base } from '../store/bases.ts'
import { storeDocument } from '../store/documents.ts'
import { findBareChunks, storeVectors } from '../store/embedding.ts'
import type { BareChunk } from '../store/embedding.ts'
import { findOldDocument } from '../store/layouts.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { refreshTask } from './tasks.ts'

/** Services that a refresh needs. */
export type RefreshServices = Pick<KnowledgeServices, 'core' | 'count'> & { readonly embeddings: RoleEmbeddings }

interface Attempt {
  readonly task: Task<{ readonly base: string }>
  readonly context: TaskContext
}

// A batch is one model call. After this many batches the task moves to the end of its queue, so that other bases get their turn.
const CHUNKS_AT_ONCE = 64
const BATCHES_PER_TASK = 20
const DOCUMENTS_PER_TASK = 50

/** One turn of a knowledge base: documents with old chunks first, then chunks without a vector. */
export async function refreshBase(services: RefreshServices, { task, context }: Attempt): Promise<void> {
  const base = await readBase(services, task.payload.base)
  if (base === undefined) return
  const divided = await divideAgain(services, base, context)
  const complete = divided && (await embed(services, base, context))
  if (complete) return
  await services.core.store.transact(async (tx) => {
    const { namespace, namespace_uid: namespaceUid, uid } = base
    await services.core.tasks.enqueue(tx, refreshTask, { namespace, namespaceUid, payload: { base: uid } })
    await context.complete(tx)
  })
}

async function readBase({ core }: RefreshServices, uid: string): Promise<Base | undefined> {
  const [base] = await findBases(core.store.reader<KnowledgeTables>(), [uid])
  return base
}

// Chunks and count of a document change together, under the lock of the base. Returns false if some documents are left.
async function divideAgain({ core }: RefreshServices, { uid }: Base, { signal }: TaskContext): Promise<boolean> {
  for (let done = 0; done < DOCUMENTS_PER_TASK; done++) {
    signal.throwIfAborted()
    const found = await core.store.transact(async (tx) => {
      const base = await lockBase(tx, uid)
      const old = base === undefined ? undefined : await findOldDocument(tx, base)
      if (base === undefined || old === undefined) return false
      const chunks = chunkText(old.text, { size: base.chunk_size, overlap: base.chunk_overlap }, old.pages)
      await storeDocument(tx, base, { ...old, chunks })
      return true
    })
    if (!found) return true
  }
  return false
}

// Returns false if some chunks are left.
async function embed(services: RefreshServices, base: Base, { signal }: TaskContext): Promise<boolean> {
  const { core, count } = services
  const { uid, namespace, namespace_uid: namespaceUid, route, space } = base
  const payer = { kind: 'namespace', namespace, uid: namespaceUid } as const
  if (route === null || space === null) return true
  for (let done = 0; done < BATCHES_PER_TASK; done++) {
    const chunks = await findBareChunks(core.store.reader<KnowledgeTables>(), { uid, space }, CHUNKS_AT_ONCE)
    if (chunks.length === 0) return core.store.transact((tx) => recordProblem(tx, uid, null)).then(() => true)
    const vectors = await embedChunks(services, { uid, payer, route, chunks, signal })
    const stored = await core.store.transact((tx) => storeVectors(tx, { uid, space }, vectors))
    count.embedded(stored)
    // Another worker or a newer spec came first.
    if (stored === 0) return false
  }
  return false
}

interface Batch {
  readonly uid: string
  /** The namespace of the knowledge base: agents that search it do not pay for its documents. */
  readonly payer: Payer
  readonly route: string
  readonly chunks: readonly BareChunk[]
  readonly signal: AbortSignal
}

async function embedChunks(
  { core, embeddings }: RefreshServices,
  { uid, payer, route, chunks, signal }: Batch,
): Promise<ReadonlyMap<string, readonly number[]>> {
  try {
    const texts = chunks.map(({ text }) => text)
    const { vectors } = await embeddings.paidBy(payer).embed({ route, texts, signal })
    return new Map(chunks.map(({ id }, index) => [id, vectors[index] ?? []]))
  } catch (error) {
    if (!(error instanceof EmbeddingsUnavailable)) throw error
    await core.store.transact((tx) => recordProblem(tx, uid, error.reason))
    const { reason, retryAfterMs } = error
    throw new TaskFailure(reason, retryAfterMs === undefined ? {} : { retryAfterMs })
  }
}
