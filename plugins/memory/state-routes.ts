import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { JsonPieces } from '#core/http/reply/raw-list.ts'
import { MAX_ENTRY_BYTES } from './session/entry.ts'
import { joinEntries } from './session/session-memory.ts'
import type { PodMemory } from './services/pod-memory.ts'
import { ConversationParams, EntrySearch } from './contract/state-schemas.ts'
import {
  appendEntry,
  appendTurn,
  conversationEntries,
  findEntries,
  readTurns,
  addItem,
  findItems,
} from './contract/wire.ts'

const authz = { kind: 'agent' } as const
// Serialization may make a number four times as long: 1e20 has 21 digits.
const APPEND_BODY_BYTES = 5 * MAX_ENTRY_BYTES

/** Routes of the state role: memory of the calling launcher's agent. */
export function memoryEndpoints(memory: PodMemory): readonly AnyEndpoint[] {
  return [...sessionEndpoints(memory), ...turnEndpoints(memory), ...itemEndpoints(memory)]
}

function sessionEndpoints(memory: PodMemory): readonly AnyEndpoint[] {
  const read = endpoint({
    ...stateRoute(conversationEntries),
    summary: 'Get the entries of a conversation, in order.',
    authz,
    params: ConversationParams,
    handle: async ({ access: { agent }, params }) => toPieces(await memory.entries(agent, params.conversation)),
  })
  const append = endpoint({
    ...stateRoute(appendEntry),
    summary: 'Append an entry to a conversation.',
    authz,
    params: ConversationParams,
    bodyLimit: APPEND_BODY_BYTES,
    handle: async ({ access: { agent }, params, body }) => ({
      length: await memory.append(agent, params.conversation, body.entry),
    }),
  })
  const search = endpoint({
    ...stateRoute(findEntries),
    summary: 'Get the entries of a conversation whose canonical JSON contains a string.',
    authz,
    params: ConversationParams,
    query: EntrySearch,
    handle: async ({ access: { agent }, params, query: { q } }) => {
      const entries = await memory.entries(agent, params.conversation)
      return toPieces(entries.filter((entry) => entry.includes(q)))
    },
  })
  return [read, append, search]
}

function turnEndpoints(memory: PodMemory): readonly AnyEndpoint[] {
  const read = endpoint({
    ...stateRoute(readTurns),
    summary: 'Get the turns of the conversation of the run in X-Mesh-Run-Id, in order.',
    authz,
    handle: async ({ access: { agent, run } }) => toPieces(await memory.turns(agent, required(run))),
  })
  const append = endpoint({
    ...stateRoute(appendTurn),
    summary: 'Add a turn to the conversation of the run in X-Mesh-Run-Id.',
    authz,
    bodyLimit: MAX_ENTRY_BYTES,
    handle: async ({ access: { agent, run }, body }) => ({
      length: await memory.appendTurn(agent, required(run), body.messages),
    }),
  })
  return [read, append]
}

function itemEndpoints(memory: PodMemory): readonly AnyEndpoint[] {
  const remember = endpoint({
    ...stateRoute(addItem),
    summary: 'Store an item in the long-term memory of the agent.',
    authz,
    handle: async ({ access: { agent, run }, body }) => ({ id: await memory.remember(agent, body, run) }),
  })
  const search = endpoint({
    ...stateRoute(findItems),
    summary: 'Search the long-term memory of the agent.',
    authz,
    handle: async ({ access: { agent, run }, body }) => {
      const { items, ...note } = await memory.search(agent, body, run)
      return { items: [...items], ...note }
    },
  })
  return [remember, search]
}

// The entries are canonical JSON and need not be parsed again.
function toPieces(entries: readonly string[]): JsonPieces {
  return new JsonPieces([Buffer.from(joinEntries(entries))])
}

function required(run: string | undefined): string {
  if (run !== undefined) return run
  throw new Fail('malformed_request', 'X-Mesh-Run-Id is missing: a turn belongs to a run.')
}
