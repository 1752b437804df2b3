import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { ConversationList } from '#schemas/api/memory.ts'
import type { SessionMemory } from '../session/session-memory.ts'
import { ConversationParams } from '../state-schemas.ts'

const SHOWN = 200

/**
 * Conversations of an agent, for the BFF with the bearer of its caller: only the state role holds the credentials of the store. Other bearers
 * of this role are those of pods, so the route authenticates and reviews the caller itself (K1).
 */
export function conversationsEndpoint(
  session: SessionMemory,
  { observed, now, cluster }: Pick<Core, 'observed' | 'now' | 'cluster'>,
): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/memory/agents/:ns/:name/conversations',
    summary: 'List the conversations of an agent, newest first, for a user.',
    authz: { kind: 'token', of: 'a user', verify: (bearer) => cluster.as(bearer) },
    query: Type.Object(
      { conversationId: Type.Optional(ConversationParams.properties.conversation) },
      { additionalProperties: false },
    ),
    response: { 200: ConversationList },
    handle: async ({ access: caller, params, query: { conversationId } }) => {
      await caller.review('list', 'agentmemories', { namespace: params.ns })
      const agent = await observed.find('AgentDeployment', params.ns, params.name)
      if (agent === undefined) throw new Fail('not_found')
      const { uid } = agent
      const entries = conversationId === undefined ? undefined : await session.read(uid, conversationId)
      const [usage, found] = await Promise.all([session.usage(uid), session.newest(uid, SHOWN)])
      const time = now().getTime()
      return {
        conversations: found
          .filter(({ list }) => conversationId === undefined || list === conversationId)
          .map(({ list: id, bytes, expiresInMs }) => ({
            id,
            bytes,
            expiresAt: new Date(time + expiresInMs).toISOString(),
          })),
        usage: { conversations: usage.lists, bytes: usage.bytes },
        ...(entries === undefined ? {} : { entries: entries.map((entry): unknown => JSON.parse(entry)) }),
      }
    },
  })
}
