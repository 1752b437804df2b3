import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../conversation-id.ts'
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
  id: Type.String(),
  owner: Type.Enum(['agent', 'caller'], {
    description:
      'agent: the id is one that the agent chose. caller: held in runs of the caller; those of other users are not shown.',
  }),
  bytes: Type.Integer({ description: 'Size of its entries as canonical JSON.' }),
  expiresAt: time,
}

/** Conversations of an agent in session memory. */
export const ConversationList = Type.Object(
  {
    conversations: Type.Array(Type.Object(conversationFields), { description: 'Newest first, at most 200.' }),
    usage: Type.Object({ conversations: Type.Integer(), bytes: Type.Integer() }),
    entries: Type.Optional(Type.Array(Type.Unknown(), { description: 'Entries of the conversation of the query.' })),
  },
  { title: 'AgentConversations' },
)

/** See {@link ConversationList}. */
export type ConversationList = Static<typeof ConversationList>

const AgentMemoryItem = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    metadata: openObject('Fields that the agent gave.'),
    subject: Type.Union([Type.String(), Type.Null()], { description: 'Its user; null: shared by all users.' }),
    runId: Type.Union([Type.String(), Type.Null()]),
    bytes: Type.Integer(),
    createdAt: time,
    expiresAt: timeOrNull,
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
    items: Type.Array(AgentMemoryItem),
    usage: Type.Object({ items: Type.Integer(), bytes: Type.Integer() }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end.' }),
  },
  { title: 'AgentMemory' },
)
