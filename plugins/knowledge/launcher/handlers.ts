import { toStorable } from '#schemas/values/storable-text.ts'
import type { Handlers } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { searchKnowledge as searchPath } from '#plugins/knowledge/contract/wire.ts'
import { valueOf } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryCalls } from '#launcher/contract/state/memory-calls.ts'
import type { searchRoutes } from './routes.ts'

/** A search of the agent's knowledge bases. */
export interface KnowledgeQuery {
  readonly query: string
  readonly knowledgeBase?: string | undefined
  readonly limit?: number | undefined
}

/** Handlers of knowledge. The state role decides which knowledge bases the agent may search. */
export function createKnowledgeHandlers(calls: MemoryCalls, isBound: boolean): Handlers<typeof searchRoutes> {
  return {
    searchKnowledge: async (call) => {
      if (!isBound) throw new Refusal('not_bound')
      const response = await calls.call(call, searchOperation(await call.body()))
      return { status: 200, body: valueOf(response) }
    },
  }
}

/** The operation of a search at the state role. Strings that cannot be stored are sanitized (F5). */
export function searchOperation({ query, knowledgeBase, limit }: KnowledgeQuery) {
  const body = {
    query: toStorable(query),
    ...(knowledgeBase === undefined ? {} : { knowledgeBase: toStorable(knowledgeBase) }),
    ...(limit === undefined ? {} : { limit }),
  }
  return { name: 'knowledge search', path: searchPath, call: { body } }
}
