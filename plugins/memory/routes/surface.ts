import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { storeList } from '#core/http/store/store-list.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { AgentMemory, AgentMemoryQuery } from '#schemas/api/memory.ts'
import { listItems, readItemUsage } from '../store/list-items.ts'
import type { MemoryTables } from '../contract/tables.ts'
import type { MemoryServices } from '../services/create-services.ts'
import { createConversationClient } from './conversation-client.ts'

/** The memory of an agent for readers of its namespace. */
export function surfaceEndpoint({ core }: MemoryServices): AnyEndpoint {
  const db = core.store.reader<MemoryTables>()
  const conversationsOf = createConversationClient(core.urls.state)
  return endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/memory',
    id: 'getAgentMemory',
    summary: 'Get the memory of an agent: its conversations, and its long-term items, newest first.',
    authz: { kind: 'review', verb: 'list', resource: 'agentmemories', namespace: { in: 'path', field: 'ns' } },
    query: AgentMemoryQuery,
    response: { 200: AgentMemory },
    handle: async (call) => {
      const { access, params, query, bearer, signal } = call
      const { conversationId, cursor } = query
      // By uid: a re-created agent does not have the memory of its predecessor.
      const agent = await core.observed.find('AgentDeployment', params.ns, params.name)
      if (agent === undefined) throw new Fail('not_found')
      const session =
        cursor === undefined
          ? await conversationsOf({ bearer, namespace: params.ns, name: params.name, conversationId, signal })
          : null
      const usage = await readItemUsage(db, access, agent.uid)
      if (conversationId !== undefined) return { session, items: [], usage, nextCursor: null }
      const page = await storeList(call, {
        resource: 'agentmemories',
        access,
        bound: agent.uid,
        read: (proof, { limit, after }) => listItems(db, proof, agent.uid, { limit, after }),
        keyOf: ({ createdAt, id }) => [createdAt, id],
      })
      return { session, ...page, usage }
    },
  })
}
