import { Type } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '#schemas/names/conversation-id.ts'

/** The name of a conversation in a path. */
export const ConversationParams = Type.Object({
  conversation: Type.String({ minLength: 1, maxLength: 128, pattern: CONVERSATION_ID_PATTERN }),
})

/** Query of a search in a conversation. */
export const EntrySearch = Type.Object(
  { q: Type.String({ minLength: 1, maxLength: 1_024 }) },
  { additionalProperties: false },
)
