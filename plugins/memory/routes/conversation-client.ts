import { Agent } from 'undici'
import type { Dispatcher } from 'undici'
import { Value } from 'typebox/value'
import { Fail } from '#core/errors/domain-error.ts'
import { collect } from '#core/http-client/request.ts'
import { ConversationList } from '#schemas/api/memory.ts'
import { memoryErrors } from '../contract/errors.ts'

/** The conversations of an agent, read for a caller. */
export interface ConversationsRequest {
  readonly bearer: string
  readonly namespace: string
  readonly name: string
  /** Conversation whose entries are read. */
  readonly conversationId: string | undefined
  readonly signal: AbortSignal
}

const DEADLINE_MS = 5_000

/**
 * Creates the client of the state role for the BFF. It sends the caller's bearer token, and the state role reviews the caller again (K1). Null: the
 * state role has no store for session memory. Throws `memory_unavailable`.
 */
export function createConversationClient(
  stateUrl: string,
): (request: ConversationsRequest) => Promise<ConversationList | null> {
  let dispatcher: Dispatcher | undefined
  return async ({ bearer, namespace, name, conversationId, signal }) => {
    dispatcher ??= new Agent({ allowH2: false, connections: 32 })
    const query = conversationId === undefined ? '' : `?conversationId=${encodeURIComponent(conversationId)}`
    // Checked per call, since a process that only describes the API has no state role.
    const url = new URL(`/memory/agents/${namespace}/${name}/conversations${query}`, stateUrl)
    const { status, body } = await collect(dispatcher, {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    }).catch((error: unknown) => {
      throw new Fail(memoryErrors.memory_unavailable, undefined, { cause: error })
    })
    if (status === 501) return null
    // The review succeeded just before: the right or the agent was removed meanwhile.
    if (status === 401) throw new Fail('unauthenticated')
    if (status === 403) throw new Fail('forbidden')
    if (status === 404) throw new Fail('not_found')
    return parse(status, body)
  }
}

function parse(status: number, body: Buffer): ConversationList {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (status === 200 && Value.Check(ConversationList, value)) return value
  } catch {
    // Reported like a response with another schema.
  }
  throw new Fail(memoryErrors.memory_unavailable)
}
