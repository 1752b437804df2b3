import type { Tx } from '#core/event-store/store.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import { TaskFailure } from '#core/tasks/task.ts'
import type { Task, TaskContext } from '#core/tasks/task.ts'
import { chunkText } from '../documents/chunk-text.ts'
import { essence, formatOf } from '../documents/formats.ts'
import { parseInThread } from '../documents/parse-in-thread.ts'
import { IngestFailure } from '../documents/parsed-document.ts'
import type { ParsedDocument } from '../documents/parsed-document.ts'
import { documentStored, ingestFailed } from '../contract/events.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import { chunksOfNamespace, findBases, lockBase } from '../store/bases.ts'
import type { Base } from '../store/bases.ts'
import { findStored, storeDocument } from '../store/documents.ts'
import type { NewDocument } from '../store/documents.ts'
import { beginIngest, endIngest } from '../store/ingests.ts'
import type { Ingest } from '../store/ingests.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { fetchDocument } from './fetch-document.ts'
import type { RawDocument } from './fetch-document.ts'
import { ingestTask, refreshTask } from './tasks.ts'

/** Services that an ingest needs. */
export type IngestServices = Pick<KnowledgeServices, 'core' | 'settings' | 'count'>

interface Attempt {
  readonly task: Task<{ readonly ingest: string }>
  readonly context: TaskContext
}

// The manager reads a new knowledge base some milliseconds after it was created.
const UNREAD_RETRY_MS = 1_000

/** One attempt of an ingest: reads the document, stores its chunks and ends, or records the failure. */
export async function runIngest(services: IngestServices, attempt: Attempt): Promise<void> {
  const { store } = services.core
  const ingest = await store.transact((tx) => beginIngest(tx, attempt.task.payload.ingest))
  if (ingest === undefined) return
  const [base] = await findBases(store.reader<KnowledgeTables>(), [ingest.base_uid])
  if (base === undefined) return
  if (base.generation === null) throw new TaskFailure('spec_unread', { retryAfterMs: UNREAD_RETRY_MS })
  try {
    const document = await readDocument(services, ingest, attempt.context.signal)
    await storeResult(services, { ingest, document, context: attempt.context })
  } catch (error) {
    if (!(error instanceof IngestFailure)) throw error
    const last = attempt.task.attempt >= ingestTask.limits.maxAttempts
    if (error.retryable && !last) throw new TaskFailure(error.problem)
    await recordFailure(services, { base, ingest, problem: error.problem, context: attempt.context })
  }
}

interface ReadDocument extends ParsedDocument {
  readonly contentType: string
}

async function readDocument(
  { core, settings, count }: IngestServices,
  ingest: Ingest,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const { contentType, bytes } = await rawDocument(core.outbound, { settings, ingest, signal })
  const format = formatOf(contentType)
  if (format === undefined) throw new IngestFailure('unsupported_type')
  const started = performance.now()
  const { maxTextCharacters: maxCharacters, parseTimeout, parseMemory: memoryMb } = settings
  const request = { format, contentType, bytes, maxCharacters }
  const parsed = await parseInThread(request, { timeoutMs: parseTimeout * 1_000, memoryMb, signal })
  count.parsed(format, (performance.now() - started) / 1_000)
  return { ...parsed, contentType: essence(contentType) }
}

interface RawRequest {
  readonly settings: IngestServices['settings']
  readonly ingest: Ingest
  readonly signal: AbortSignal
}

async function rawDocument(
  outbound: Pick<Outbound, 'request'>,
  { settings, ingest, signal }: RawRequest,
): Promise<RawDocument> {
  const { content, url, content_type: contentType } = ingest
  if (content !== null && contentType !== null) return { contentType, bytes: new Uint8Array(content) }
  const limits = { maxBytes: settings.maxDocumentBytes, timeoutMs: settings.fetchTimeout * 1_000, signal }
  return fetchDocument(outbound, url ?? '', limits)
}

interface Result {
  readonly ingest: Ingest
  readonly document: ReadDocument
  readonly context: TaskContext
}

async function storeResult(services: IngestServices, { ingest, document, context }: Result): Promise<void> {
  const { core, count } = services
  const outcome = await core.store.transact(async (tx) => {
    await context.assertHeld(tx)
    const base = await lockBase(tx, ingest.base_uid)
    if (base === undefined) return undefined
    const order = { id: ingest.document_id, ingestOrder: ingest.place }
    const before = await findStored(tx, base, order)
    const superseded = before?.later === true
    if (!superseded) await storeNew(services, tx, { base, ingest, document, before: before?.chunks })
    await endIngest(tx, ingest.id, superseded ? 'superseded' : 'succeeded')
    await context.complete(tx)
    return superseded ? 'superseded' : 'succeeded'
  })
  if (outcome !== undefined) count.ingested(outcome)
}

interface NewContent {
  readonly base: Base
  readonly ingest: Ingest
  readonly document: ReadDocument
  /** Number of chunks of the replaced document. */
  readonly before: number | undefined
}

async function storeNew({ core, settings }: IngestServices, tx: Tx, content: NewContent): Promise<void> {
  const { base, ingest, document, before } = content
  const chunks = chunkText(document.text, { size: base.chunk_size, overlap: base.chunk_overlap }, document.pages)
  const documents = base.documents + (before === undefined ? 1 : 0)
  const total = base.chunks - (before ?? 0) + chunks.length
  const most = Math.min(base.most_chunks ?? settings.chunksPerBase, settings.chunksPerBase)
  const mostDocuments = Math.min(base.most_documents ?? settings.documentsPerBase, settings.documentsPerBase)
  if (documents > mostDocuments || total > most) throw new IngestFailure('limit_of_base')
  const ofNamespace = (await chunksOfNamespace(tx, base.namespace_uid)) - (before ?? 0) + chunks.length
  if (ofNamespace > settings.chunksPerNamespace) throw new IngestFailure('limit_of_namespace')
  await storeDocument(tx, base, toDocument(ingest, document, chunks))
  const { namespace, namespace_uid: namespaceUid, name, uid } = base
  await core.tasks.enqueue(tx, refreshTask, { namespace, namespaceUid, payload: { base: uid } })
  const { contentType, text } = document
  await tx.append(streamOf(uid), 'any', [
    {
      type: documentStored,
      subject: { namespace, kind: 'KnowledgeBase', name, uid, namespaceUid },
      actor: actorOf(ingest),
      data: {
        document: ingest.document_id,
        ingestId: ingest.id,
        contentType,
        characters: text.length,
        chunks: chunks.length,
      },
    },
  ])
}

function toDocument(ingest: Ingest, document: ReadDocument, chunks: NewDocument['chunks']): NewDocument {
  return {
    id: ingest.document_id,
    ingestOrder: ingest.place,
    title: toStorable((ingest.title ?? document.title ?? ingest.document_id).slice(0, 256)),
    contentType: document.contentType,
    url: ingest.url,
    attributes: ingest.attributes,
    text: document.text,
    pages: document.pages,
    chunks,
  }
}

interface Failed {
  readonly base: Base
  readonly ingest: Ingest
  readonly problem: IngestFailure['problem']
  readonly context: TaskContext
}

async function recordFailure(
  { core, count }: IngestServices,
  { base, ingest, problem, context }: Failed,
): Promise<void> {
  const { namespace, namespace_uid: namespaceUid, name, uid } = base
  await core.store.transact(async (tx) => {
    await context.assertHeld(tx)
    await endIngest(tx, ingest.id, 'failed', problem)
    await tx.append(streamOf(uid), 'any', [
      {
        type: ingestFailed,
        subject: { namespace, kind: 'KnowledgeBase', name, uid, namespaceUid },
        actor: actorOf(ingest),
        data: { document: ingest.document_id, ingestId: ingest.id, reason: problem },
      },
    ])
    await context.complete(tx)
  })
  count.ingested(problem)
}

/** Stream of the events of a knowledge base. */
export function streamOf(uid: string): string {
  return `knowledge/${uid}`
}

function actorOf({ actor }: Ingest) {
  if (actor === 'knowledge') return { name: actor, kind: 'controller' } as const
  return { name: actor, kind: actor.startsWith('system:') ? 'system' : 'user' } as const
}
