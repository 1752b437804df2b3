import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { TaskQueue } from '#core/tasks/task-queue.ts'
import { knowledgeErrors } from '../contract/errors.ts'
import { ensureBase, lockBase } from '../store/bases.ts'
import type { BaseIdentity } from '../store/bases.ts'
import { insertIngests, waitingBytes } from '../store/ingests.ts'
import type { NewIngest } from '../store/ingests.ts'
import { ingestTask } from './tasks.ts'

/** A document to ingest: its content, or its address. */
export interface Submission {
  readonly documentId: string
  readonly title: string | null
  readonly attributes?: Readonly<Record<string, string>>
  readonly from: { readonly content: Buffer; readonly contentType: string } | { readonly url: string }
}

/** Queue and limits. */
export interface IngestQueue {
  readonly tasks: TaskQueue
  readonly waitingBytesPerNamespace: number
}

/** A queued ingest. */
export interface QueuedIngest {
  readonly id: string
  readonly document: string
}

/**
 * Queues ingests of a knowledge base: all of them, or none. Throws `ingest_queue_full` (429) if the namespace has too many queued bytes, and
 * `too_many_requests` for too many tasks.
 */
export async function queueIngests(
  tx: Tx,
  { tasks, waitingBytesPerNamespace }: IngestQueue,
  base: BaseIdentity & { readonly actor: string },
  submissions: readonly Submission[],
): Promise<readonly QueuedIngest[]> {
  await ensureBase(tx, base)
  // Locked before the count, so that two requests do not use the same remaining quota.
  if ((await lockBase(tx, base.uid)) === undefined) throw new Fail('not_found')
  const waiting = await waitingBytes(tx, base.namespaceUid)
  const ingests = submissions.map(toIngest)
  const bytes = ingests.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
  if (waiting > 0 && waiting + bytes > waitingBytesPerNamespace)
    throw new Fail(
      knowledgeErrors.ingest_queue_full,
      `At most ${waitingBytesPerNamespace} bytes of a namespace may wait to be ingested.`,
      {
        retryAfter: 10,
      },
    )
  await insertIngests(tx, base, ingests)
  for (const { id } of ingests)
    await tasks.enqueue(tx, ingestTask, {
      namespace: base.namespace,
      namespaceUid: base.namespaceUid,
      payload: { ingest: id },
    })
  return ingests.map(({ id, documentId }) => ({ id, document: documentId }))
}

function toIngest({ documentId, title, attributes = {}, from }: Submission): NewIngest {
  const common = { id: uuidV7(), documentId, title, attributes }
  return 'url' in from
    ? { ...common, url: from.url, contentType: null, content: null }
    : { ...common, url: null, contentType: from.contentType, content: from.content }
}
