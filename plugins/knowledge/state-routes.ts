import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import { searchKnowledge } from './contract/wire.ts'
import { basesOfAgent } from './search/bases-of-agent.ts'
import { searchBases } from './search/search-bases.ts'
import type { KnowledgeServices } from './services/create-services.ts'
import type { KnowledgeTables } from './contract/tables.ts'

/** Routes of the state role: the search of an agent, by its launcher. */
export function knowledgeStateRoutes(services: KnowledgeServices, state: StateContext): readonly AnyEndpoint[] {
  const db = services.core.store.reader<KnowledgeTables>()
  const search = endpoint({
    ...stateRoute(searchKnowledge),
    summary: 'Search the knowledge bases of the agent.',
    authz: { kind: 'agent' },
    handle: async ({ access: { agent: caller, run }, body: { query, knowledgeBase, limit }, signal }) => {
      const { agent, bases } = await basesOfAgent({ cluster: state.cluster, db }, caller, knowledgeBase)
      // The gateway checks the owner of the run, which only determines additional payers.
      const embeddings = state.embeddings.paidBy({ kind: 'agent', ...agent }, run)
      return searchBases(services, { bases, query, limit, embeddings, signal })
    },
  })
  return [search]
}
