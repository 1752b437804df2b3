import { genAi } from '#core/otlp/gen-ai.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { toStorable, toStorableValue } from '#schemas/values/storable-text.ts'
import type { Call, Handlers } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { valueOf } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryCalls } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryPart } from './bound-parts.ts'
import { appendEntry, conversationEntries, findEntries, addItem, findItems } from '#plugins/memory/contract/wire.ts'
import type { memoryRoutes } from './port.ts'

type Routes = typeof memoryRoutes

const MAX_TEXT_IN_ENTRIES = 1_024
const json = { 'content-type': 'application/json' }

/** Handlers of memory. Strings that cannot be stored are sanitized: U+0000 and lone surrogates become U+FFFD (F5). */
export function createMemoryHandlers(calls: MemoryCalls, bound: ReadonlySet<MemoryPart>): Handlers<Routes> {
  return {
    health: () => ({ status: 200, body: { status: 'ok' } }),
    read: async (call) => {
      const { params, attributes } = conversationOf(bound, call)
      const operation = { name: 'memory get', path: conversationEntries, call: { params }, attributes }
      const { bytes } = await calls.call(call, operation)
      return { status: 200, body: bytes, headers: json }
    },
    append: async (call) => {
      const { params, attributes } = conversationOf(bound, call)
      const body = { entry: toStorableValue(await call.body()) }
      const operation = { name: 'memory append', path: appendEntry, call: { params, body }, attributes }
      return { status: 201, body: valueOf(await calls.call(call, operation)) }
    },
    find: async (call) => {
      const { params, attributes } = conversationOf(bound, call)
      const query = { q: soughtText(call.query) }
      const operation = { name: 'memory search', path: findEntries, call: { params, query }, attributes }
      const { bytes } = await calls.call(call, operation)
      return { status: 200, body: bytes, headers: json }
    },
    remember: async (call) => {
      requireBound(bound, 'longTerm')
      const { text, metadata, ttl } = await call.body()
      const body = {
        text: toStorable(text),
        ...(metadata === undefined ? {} : { metadata: toStorableValue(metadata) }),
        ...(ttl === undefined ? {} : { ttl }),
      }
      const operation = { name: 'memory remember', path: addItem, call: { body } }
      return { status: 201, body: valueOf(await calls.call(call, operation)) }
    },
    recall: async (call) => {
      requireBound(bound, 'longTerm')
      const { query, limit, filter } = await call.body()
      const body = {
        query: toStorable(query),
        ...(limit === undefined ? {} : { limit }),
        ...(filter === undefined ? {} : { filter: toStorableValue(filter) }),
      }
      const operation = { name: 'memory recall', path: findItems, call: { body } }
      return { status: 200, body: valueOf(await calls.call(call, operation)) }
    },
  }
}

type ConversationRoute = Routes['read' | 'append' | 'find']

/** The conversation of a request. Its id is decoded once. */
function conversationOf(bound: ReadonlySet<MemoryPart>, { params }: Pick<Call<ConversationRoute>, 'params'>) {
  requireBound(bound, 'session')
  const id = decode(params.conversationId)
  if (!isConversationId(id)) throw new Refusal('malformed_request', `the conversation id ${CONVERSATION_ID_DETAIL}`)
  // Paths under this name belong to long-term memory.
  if (id === 'agent') throw new Refusal('malformed_request', 'the conversation id agent is reserved')
  return { params: { conversation: id }, attributes: { [genAi.conversationId]: id } }
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
    throw new Refusal('malformed_request', `?q: must be one string of 1 to ${MAX_TEXT_IN_ENTRIES} characters`)
  return toStorable(text)
}

function requireBound(bound: ReadonlySet<MemoryPart>, part: MemoryPart): void {
  if (!bound.has(part)) throw new Refusal('not_bound')
}
