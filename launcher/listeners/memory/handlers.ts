import { genAi } from '#core/otlp/gen-ai.ts'
import { isObject } from '#core/json/is-object.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { toStorable, toStorableValue } from '#schemas/values/storable-text.ts'
import type { Call, Handlers } from '../../contract/http/port.ts'
import { Refusal } from '../../contract/http/refusal.ts'
import type { MemoryBackend } from '../../memory/backend.ts'
import type { StateResponse } from '../../contract/state/state-client.ts'
import type { memoryRoutes } from './port.ts'

type Routes = typeof memoryRoutes

const MAX_TEXT_IN_ENTRIES = 1_024
const json = { 'content-type': 'application/json' }

/** Handlers of memory. Texts that no store can hold are mended: U+0000 and lone surrogates become U+FFFD (F5). */
export function createMemoryHandlers(backend: MemoryBackend): Handlers<Routes> {
  return {
    health: () => ({ status: 200, body: { status: 'ok' } }),
    read: async (call) => {
      const { path, attributes } = conversationOf(backend, call)
      const { bytes } = await backend.call('session', call, { name: 'memory get', method: 'GET', path, attributes })
      return { status: 200, body: bytes, headers: json }
    },
    append: async (call) => {
      const { path, attributes } = conversationOf(backend, call)
      const body = { entry: toStorableValue(await call.body()) }
      const operation = { name: 'memory append', method: 'POST', path: `${path}/entries`, body, attributes } as const
      const answer = await backend.call('session', call, operation)
      return { status: 201, body: { length: lengthOf(answer) } }
    },
    find: async (call) => {
      const { path, attributes } = conversationOf(backend, call)
      const query = `q=${encodeURIComponent(soughtText(call.query))}`
      const operation = { name: 'memory search', method: 'GET', path: `${path}/search?${query}`, attributes } as const
      const { bytes } = await backend.call('session', call, operation)
      return { status: 200, body: bytes, headers: json }
    },
    remember: async (call) => {
      requireBound(backend, 'longTerm')
      const { text, metadata, ttl } = await call.body()
      const body = {
        text: toStorable(text),
        ...(metadata === undefined ? {} : { metadata: toStorableValue(metadata) }),
        ...(ttl === undefined ? {} : { ttl }),
      }
      const operation = { name: 'memory remember', method: 'POST', path: '/memory/items', body } as const
      const { id } = (await backend.call('longTerm', call, operation)).body
      if (typeof id !== 'string') throw new Refusal('memory_unavailable')
      return { status: 201, body: { id } }
    },
    recall: async (call) => {
      requireBound(backend, 'longTerm')
      const { query, limit, filter } = await call.body()
      const body = {
        query: toStorable(query),
        ...(limit === undefined ? {} : { limit }),
        ...(filter === undefined ? {} : { filter: toStorableValue(filter) }),
      }
      const operation = { name: 'memory recall', method: 'POST', path: '/memory/items/search', body } as const
      const { items, note } = (await backend.call('longTerm', call, operation)).body
      if (!Array.isArray(items)) throw new Refusal('memory_unavailable')
      return { status: 200, body: { items: items as never, ...(typeof note === 'string' ? { note } : {}) } }
    },
  }
}

type ConversationRoute = Routes['read' | 'append' | 'find']

/** Path of the conversation at the state role. Its id is decoded once, and cannot leave its segment. */
function conversationOf(backend: MemoryBackend, { params }: Pick<Call<ConversationRoute>, 'params'>) {
  requireBound(backend, 'session')
  const id = decode(params.conversationId)
  if (!isConversationId(id)) throw new Refusal('malformed_request', `the conversation id ${CONVERSATION_ID_DETAIL}`)
  // Its paths are those of long-term memory.
  if (id === 'agent') throw new Refusal('malformed_request', 'the conversation id agent is reserved')
  return { path: `/memory/conversations/${encodeURIComponent(id)}`, attributes: { [genAi.conversationId]: id } }
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function soughtText(query: URLSearchParams): string {
  const [text = '', ...more] = query.getAll('q')
  if (text === '' || more.length > 0 || text.length > MAX_TEXT_IN_ENTRIES)
    throw new Refusal('malformed_request', `?q: must be one text of 1 to ${MAX_TEXT_IN_ENTRIES} characters`)
  return toStorable(text)
}

function requireBound(backend: MemoryBackend, part: 'session' | 'longTerm'): void {
  if (!backend.isBound(part)) throw new Refusal('not_bound')
}

function lengthOf({ body }: StateResponse): number {
  if (isObject(body) && typeof body.length === 'number') return body.length
  throw new Refusal('memory_unavailable')
}
