import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '#schemas/names/conversation-id.ts'
import { time } from '#schemas/api/common.ts'

/** Maximum length of the text of an item. */
export const MAX_ITEM_TEXT = 32 * 1024

const strict = { additionalProperties: false }

/** The name of a conversation in a path. */
export const ConversationParams = Type.Object({
  conversation: Type.String({ minLength: 1, maxLength: 128, pattern: CONVERSATION_ID_PATTERN }),
})

/** Body of an append: any JSON value. */
export const AppendRequest = Type.Object({ entry: Type.Unknown() }, strict)

/** Body of a turn: the messages of a run, from its input to its answer. */
export const AppendTurnRequest = Type.Object(
  {
    messages: Type.Array(Type.Object({ role: Type.String({ maxLength: 32 }) }, { additionalProperties: true }), {
      minItems: 1,
      maxItems: 10_000,
    }),
  },
  strict,
)

/** Entries after an append. */
export const AppendResponse = Type.Object({ length: Type.Integer({ minimum: 1 }) })

/** Entries of a conversation, in order. */
export const EntriesResponse = Type.Array(Type.Unknown())

/** Query of a search in a conversation. */
export const EntrySearch = Type.Object({ q: Type.String({ minLength: 1, maxLength: 1_024 }) }, strict)

const metadataValue = Type.Union([Type.String({ maxLength: 1_024 }), Type.Number(), Type.Boolean()])

/** Fields of an item, or those that a found item must have. */
export const ItemMetadata = Type.Record(Type.String({ minLength: 1, maxLength: 128 }), metadataValue, {
  maxProperties: 32,
})

/** Body of a write to long-term memory. */
export const RememberRequest = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MAX_ITEM_TEXT }),
    metadata: Type.Optional(ItemMetadata),
    ttl: Type.Optional(Type.String({ maxLength: 64, description: 'Duration; that of the spec if it is shorter.' })),
  },
  strict,
)

/** See {@link RememberRequest}. */
export type RememberRequest = Static<typeof RememberRequest>

/** The stored item. */
export const RememberResponse = Type.Object({ id: Type.String() })

/** Body of a search in long-term memory. */
export const ItemSearch = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 4_000 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
    filter: Type.Optional(ItemMetadata),
  },
  strict,
)

/** See {@link ItemSearch}. */
export type ItemSearch = Static<typeof ItemSearch>

/** Items found, best first. */
export const FoundItems = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      text: Type.String(),
      metadata: ItemMetadata,
      score: Type.Number(),
      createdAt: time,
    }),
  ),
  note: Type.Optional(
    Type.String({ description: 'Why the search is by words only although the spec has an embedding route.' }),
  ),
})

/** See {@link FoundItems}. */
export type FoundItems = Static<typeof FoundItems>
