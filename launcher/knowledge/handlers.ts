import { toStorable } from '#schemas/values/storable-text.ts'
import type { Handlers } from '../contract/http/port.ts'
import { Refusal } from '../contract/http/refusal.ts'
import { searchKnowledge as searchPath } from '#plugins/knowledge/contract/wire.ts'
import { valueOf } from '../memory/backend.ts'
import type { MemoryBackend } from '../memory/backend.ts'
import type { knowledgeRoutes } from './routes.ts'

/** A search of the agent's knowledge bases. */
export interface KnowledgeQuery {
  readonly query: string
  readonly knowledgeBase?: string | undefined
  readonly limit?: number | undefined
}

/** Handlers of knowledge. The state role decides which knowledge bases the agent may search. */
export function createKnowledgeHandlers(backend: MemoryBackend): Handlers<typeof knowledgeRoutes> {
  return {
    searchKnowledge: async (call) => {
      if (!backend.isBound('knowledge')) throw new Refusal('not_bound')
      const response = await backend.call('knowledge', call, searchOperation(await call.body()))
      return { status: 200, body: valueOf(response) }
    },
  }
}

/** The operation of a search at the state role. Texts that no store can hold are mended (F5). */
export function searchOperation({ query, knowledgeBase, limit }: KnowledgeQuery) {
  const body = {
    query: toStorable(query),
    ...(knowledgeBase === undefined ? {} : { knowledgeBase: toStorable(knowledgeBase) }),
    ...(limit === undefined ? {} : { limit }),
  }
  return { name: 'knowledge search', path: searchPath, call: { body } }
}
