import { createHash } from 'node:crypto'

/** A conversation of an agent: named by the agent itself, or bound to the user of its runs. */
export interface ConversationName {
  readonly id: string
  /** Undefined: the agent's own. */
  readonly subject: string | undefined
}

// No conversation id contains this character, so no name chosen by an agent can address a user's conversation (F7).
const MARK = '~'

/** The name under which session memory stores a conversation. It contains a hash of the user's name, of fixed length. */
export function toStoredName({ id, subject }: ConversationName): string {
  return subject === undefined ? id : `${personPrefix(subject)}${id}`
}

/** The conversation behind a stored name as a user may see it; undefined for another user's conversation. */
export function visibleTo(subject: string, stored: string): ConversationName | undefined {
  if (!stored.startsWith(MARK)) return { id: stored, subject: undefined }
  const prefix = personPrefix(subject)
  return stored.startsWith(prefix) ? { id: stored.slice(prefix.length), subject } : undefined
}

/** Beginning of the stored names of a user's conversations. */
export function personPrefix(subject: string): string {
  return MARK + createHash('sha256').update(subject).digest('base64url') + MARK
}
