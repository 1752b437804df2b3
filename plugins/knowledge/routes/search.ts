import { createEmbeddings } from '#core/retrieval/embeddings.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { NamespaceQuery, SearchResponse, SearchRequest } from '../contract/schemas.ts'
import { searchBases } from '../search/search-bases.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import { findBases } from '../store/bases.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { findBase } from './find-base.ts'

const examples = {
  question: { summary: 'A question', value: { query: 'How long may I return a purchase?', limit: 3 } },
}

/** Search by a user. The query is embedded with the caller's rights: without the right to use the route, the search is full-text only. */
export function searchEndpoint(services: KnowledgeServices): AnyEndpoint {
  const { core } = services
  return endpoint({
    method: 'POST',
    url: '/knowledgebases/:name/search',
    id: 'searchKnowledgeBase',
    docs: { examples },
    summary: 'Search a knowledge base by words and by meaning.',
    authz: {
      kind: 'review',
      verb: 'get',
      resource: 'knowledgebases/documents',
      namespace: { in: 'query', field: 'namespace', absent: 'default' },
      name: 'name',
    },
    query: NamespaceQuery,
    body: SearchRequest,
    response: { 200: SearchResponse },
    handle: async (call) => {
      const {
        body: { query, limit },
        bearer,
        signal,
      } = call
      const { uid } = await findBase(services, call)
      const bases = await findBases(core.store.reader<KnowledgeTables>(), [uid])
      const embeddings = createEmbeddings({ gatewayUrl: () => core.urls.gateway, bearer: async () => bearer })
      return searchBases(services, { bases, query, limit, embeddings, signal })
    },
  })
}
