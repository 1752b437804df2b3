/** Pattern of an id that a caller gives to a conversation; at most 128 characters. */
export const CONVERSATION_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:-]*$'

/** Message for an invalid id. */
export const CONVERSATION_ID_DETAIL =
  'must have 1 to 128 letters, digits, dots, underscores, colons and hyphens, and start with a letter or digit'

/** True for a valid conversation id; used by BFF, gateway, state role and launcher. */
export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 128 && pattern.test(value)
}

const pattern = new RegExp(CONVERSATION_ID_PATTERN)
