import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { memory } from '../crds/agent-behaviour.ts'
import { openObject, pageQuery, time, timeOrNull } from './common.ts'

const strict = { additionalProperties: false }
const { session, longTerm } = memory.properties

/** Session memory of an agent: `spec.memory.session`. */
export const SessionMemoryConfig = Type.Object(
  { session: Type.Union([session, Type.Null()], { description: 'null: not bound.' }) },
  { ...strict, title: 'SessionMemoryConfig' },
)

/** Long-term memory of an agent: `spec.memory.longTerm`. */
export const LongTermMemoryConfig = Type.Object(
  { longTerm: Type.Union([longTerm, Type.Null()], { description: 'null: not bound.' }) },
  { ...strict, title: 'LongTermMemoryConfig' },
)

/** Query of the memory of an agent. */
export const AgentMemoryQuery = Type.Object(
  {
    ...pageQuery,
    conversationId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: CONVERSATION_ID_PATTERN,
        description: 'Show the entries of this conversation, and no items.',
      }),
    ),
  },
  strict,
)

const conversationFields = {
  id: Type.String({ description: 'Id of the conversation.', examples: ['monday'] }),
  owner: exemplified(
    Type.Enum(['agent', 'caller'], {
      description:
        'agent: the id is one that the agent chose. caller: held in runs of the caller; those of other users are not shown.',
    }),
    'caller',
  ),
  bytes: Type.Integer({ description: 'Size of its entries as canonical JSON.', examples: [128] }),
  expiresAt: described(time, 'Time at which it is removed unless it is written again.'),
}

/** Conversations of an agent in session memory. */
export const ConversationList = Type.Object(
  {
    conversations: Type.Array(Type.Object(conversationFields), { description: 'Newest first, at most 200.' }),
    usage: described(
      Type.Object({
        conversations: Type.Integer({ description: 'Number of conversations.', examples: [1] }),
        bytes: Type.Integer({ description: 'Bytes of all entries.', examples: [128] }),
      }),
      'What the agent holds in session memory.',
    ),
    entries: Type.Optional(Type.Array(Type.Unknown(), { description: 'Entries of the conversation of the query.' })),
  },
  { title: 'AgentConversations' },
)

/** See {@link ConversationList}. */
export type ConversationList = Static<typeof ConversationList>

const AgentMemoryItem = Type.Object(
  {
    id: Type.String({ description: 'Id of the item.', examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0b'] }),
    text: Type.String({ description: 'What the agent remembered.', examples: ['Ada prefers tea'] }),
    metadata: exemplified(openObject('Fields that the agent gave.'), { topic: 'preferences' }),
    subject: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Its user; null: shared by all users.' }),
      'ada@example.com',
    ),
    runId: described(
      Type.Union([Type.String(), Type.Null()]),
      'UUIDv7 of the run that stored it; null outside a run.',
      '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00',
    ),
    bytes: Type.Integer({ description: 'Size of text and metadata in bytes.', examples: [64] }),
    createdAt: described(time, 'Time at which it was stored.'),
    expiresAt: described(timeOrNull, 'Time at which it is removed; null: by the retention of the installation.'),
  },
  { title: 'AgentMemoryItem' },
)

/** See {@link AgentMemoryItem}. */
export type AgentMemoryItem = Static<typeof AgentMemoryItem>

/** Memory of an agent: conversations with the first page only, long-term items newest first. */
export const AgentMemory = Type.Object(
  {
    session: Type.Union([ConversationList, Type.Null()], {
      description: 'Session memory; null after the first page, and where the installation has no store for it.',
    }),
    items: described(Type.Array(AgentMemoryItem), 'Long-term items, newest first.'),
    usage: described(
      Type.Object({
        items: Type.Integer({ description: 'Number of items.', examples: [1] }),
        bytes: Type.Integer({ description: 'Bytes of all items.', examples: [64] }),
      }),
      'What the agent holds in long-term memory.',
    ),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end.' }),
  },
  { title: 'AgentMemory' },
)
