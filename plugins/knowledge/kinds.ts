import { readVerbs, statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'

/** Knowledge bases are written with kubectl; the API reads them. */
export const knowledgeBaseKind = crud(KnowledgeBase, {
  verbs: ['list', 'get'],
  itemIn: 'query',
  sample: {
    embedding: { route: 'shared/embed' },
    language: 'german',
    chunking: { size: 1_000, overlap: 100 },
    limits: { documents: 100, chunks: 10_000 },
    allowedNamespaces: ['support'],
  },
})

const virtual = 'Virtual resource: exists only in access reviews.'

/** Rights on documents, and rights of the roles that write statuses, ingest and search. */
export const knowledgeAccess: readonly AccessRule[] = [
  {
    resource: 'knowledgebases/documents',
    kind: 'KnowledgeBaseDocument',
    reason: virtual,
    viewer: readVerbs,
    developer: ['create', 'delete'],
  },
  { resource: 'knowledgebases/status', reason: 'Counts and conditions of knowledge bases.', manager: statusVerbs },
  { resource: 'knowledgebases', state: ['get'] },
  { resource: 'agentdeployments', state: ['get'] },
  {
    resource: 'modelroutes/invoke',
    reason: 'Embeddings of documents and queries, by routes that the manager has checked.',
    worker: ['create'],
    state: ['create'],
  },
]
