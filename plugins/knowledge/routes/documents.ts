import { uuidV7 } from '#core/async/uuid-v7.ts'
import { accountActor } from '#core/event-store/event.ts'
import { cutPage } from '#core/database/cut-page.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { documentTypes } from '../documents/formats.ts'
import { documentDeleted } from '../contract/events.ts'
import { queueIngests } from '../ingest/queue-ingests.ts'
import type { Submission } from '../ingest/queue-ingests.ts'
import { streamOf } from '../ingest/run-ingest.ts'
import {
  AddDocuments,
  BaseName,
  DocumentId,
  DocumentList,
  DocumentsQuery,
  NamespaceQuery,
  QueuedIngests,
  UploadQuery,
} from '../contract/schemas.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import { lockBase } from '../store/bases.ts'
import type { BaseIdentity } from '../store/bases.ts'
import { deleteDocument } from '../store/documents.ts'
import { supersedeIngests } from '../store/ingests.ts'
import { listDocuments } from '../store/list-documents.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { Type } from 'typebox'
import { findBase } from './find-base.ts'

const examples = {
  text: {
    summary: 'A text in Markdown',
    value: { documents: [{ id: 'refunds', contentType: 'text/markdown', text: '# Refunds\n\nWithin 30 days.' }] },
  },
}

const resource = 'knowledgebases/documents'
const namespace = { in: 'query', field: 'namespace', absent: 'default' } as const

/** Routes of documents. */
export function documentEndpoints(services: KnowledgeServices): readonly AnyEndpoint[] {
  return [listAll(services), addDocuments(services), removeDocument(services)]
}

const DEFAULT_LIMIT = 50

function listAll(services: KnowledgeServices): AnyEndpoint {
  const db = services.core.store.reader<KnowledgeTables>()
  return endpoint({
    method: 'GET',
    url: '/knowledgebases/:name/documents',
    id: 'listKnowledgeBaseDocuments',
    summary: 'List the documents of a knowledge base by id, without their texts.',
    authz: { kind: 'review', verb: 'get', resource, namespace, name: 'name' },
    query: DocumentsQuery,
    response: { 200: DocumentList },
    handle: async (call) => {
      const { limit = DEFAULT_LIMIT, cursor } = call.query
      const { uid } = await findBase(services, call)
      // Bound to the uid: the cursor of a re-created base with the same name is refused.
      const bound = { documentsOf: uid }
      // Every id sorts after the empty string.
      const after = cursor === undefined ? '' : String(call.cursors.open(cursor, bound))
      const { items, last } = cutPage(await listDocuments(db, uid, { limit: limit + 1, after }), limit)
      return { items: [...items], nextCursor: last === undefined ? null : call.cursors.seal(last.id, bound) }
    },
  })
}

function addDocuments(services: KnowledgeServices): AnyEndpoint {
  const { core, settings } = services
  const queue = (base: BaseIdentity, actor: string, submissions: readonly Submission[]) =>
    core.store.transact(async (tx) => ({
      items: await queueIngests(tx, { ...settings, tasks: core.tasks }, { ...base, actor }, submissions),
    }))
  return endpoint({
    method: 'POST',
    url: '/knowledgebases/:name/documents',
    id: 'addKnowledgeBaseDocuments',
    docs: { examples },
    summary: 'Add documents to a knowledge base: texts as JSON, or one file as it is. They are ingested later.',
    authz: { kind: 'review', verb: 'create', resource, namespace, name: 'name' },
    audit: { action: 'add-documents', resourceKind: 'KnowledgeBase' },
    query: UploadQuery,
    body: AddDocuments,
    bodyLimit: settings.maxDocumentBytes,
    fileTypes: documentTypes,
    response: { 202: QueuedIngests },
    handle: async (call) => {
      const {
        body: { documents },
        query,
        caller,
      } = call
      if (query.id !== undefined || query.title !== undefined)
        throw new Fail('invalid_query', 'id and title are for files; in JSON they are fields of each document.')
      const base = await findBase(services, call)
      const submissions = documents.map(({ id, title, text, contentType = 'text/plain', attributes = {} }) => ({
        documentId: id ?? uuidV7(),
        title: title ?? null,
        attributes,
        from: { content: Buffer.from(text, 'utf8'), contentType },
      }))
      return queue(base, caller.username, submissions)
    },
    handleFile: async (call) => {
      const {
        query,
        body: { type, bytes },
        caller,
      } = call
      if (bytes.length === 0) throw new Fail('invalid_body', 'The file is empty.')
      const base = await findBase(services, call)
      const from = { content: bytes, contentType: type.slice(0, 256) }
      return queue(base, caller.username, [{ documentId: query.id ?? uuidV7(), title: query.title ?? null, from }])
    },
  })
}

function removeDocument(services: KnowledgeServices): AnyEndpoint {
  const { core } = services
  return endpoint({
    method: 'DELETE',
    url: '/knowledgebases/:name/documents/:document',
    id: 'deleteKnowledgeBaseDocument',
    summary: 'Delete a document of a knowledge base and cancel its queued ingests.',
    authz: { kind: 'review', verb: 'delete', resource, namespace, name: 'name' },
    audit: { action: 'delete-document', resourceKind: 'KnowledgeBase' },
    params: Type.Object({ name: BaseName, document: DocumentId }),
    query: NamespaceQuery,
    response: { 204: Type.Null() },
    handle: async (call) => {
      const { params, caller } = call
      const { uid, name, ...found } = await findBase(services, call)
      await core.store.transact(async (tx) => {
        const base = await lockBase(tx, uid)
        if (base !== undefined) await supersedeIngests(tx, uid, params.document)
        if (base === undefined || !(await deleteDocument(tx, base, params.document)))
          throw new Fail('not_found', 'The knowledge base has no document with that id.')
        const subject = { ...found, kind: 'KnowledgeBase', name, uid }
        const data = { document: params.document }
        await tx.append(streamOf(uid), 'any', [
          { type: documentDeleted, subject, actor: accountActor(caller.username), data },
        ])
      })
    },
  })
}
