import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { ConversationList } from '#schemas/api/memory.ts'
import { toStoredName, visibleTo } from '../session/bound-conversation.ts'
import type { SessionAgent, SessionMemory } from '../session/session-memory.ts'
import { ConversationParams } from '../contract/state-schemas.ts'

const SHOWN = 200
// Conversations of other users are among them.
const LOOKED_AT = 2_000

/**
 * Conversations of an agent, for the BFF with the bearer token of its caller: only the state role holds the credentials of the store. Other tokens at
 * this role belong to pods, so the route authenticates and reviews the caller itself (K1). A conversation that is bound to a user is shown to that
 * user only, regardless of the rights of others (F7).
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
      const owner = { namespace: params.ns, uid: agent.uid }
      const { username } = caller
      const entries = conversationId === undefined ? undefined : await readFor(session, owner, username, conversationId)
      const [usage, found] = await Promise.all([session.usage(owner), session.newest(owner, LOOKED_AT)])
      const time = now().getTime()
      return {
        conversations: found
          .flatMap(({ list, bytes, expiresInMs }) => {
            const name = visibleTo(username, list)
            if (name === undefined || (conversationId !== undefined && name.id !== conversationId)) return []
            const expiresAt = new Date(time + expiresInMs).toISOString()
            return [{ id: name.id, owner: name.subject === undefined ? 'agent' : 'caller', bytes, expiresAt } as const]
          })
          .slice(0, SHOWN),
        usage: { conversations: usage.lists, bytes: usage.bytes },
        ...(entries === undefined ? {} : { entries: entries.map((entry): unknown => JSON.parse(entry)) }),
      }
    },
  })
}

/** Entries of the caller's conversation of that id, else of the agent's own. */
async function readFor(
  session: SessionMemory,
  owner: SessionAgent,
  subject: string,
  id: string,
): Promise<readonly string[]> {
  const own = await session.read(owner, toStoredName({ id, subject }))
  return own.length > 0 ? own : session.read(owner, toStoredName({ id, subject: undefined }))
}
