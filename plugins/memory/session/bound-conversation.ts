import { createHash } from 'node:crypto'

/** A conversation of an agent: named by the agent itself, or bound to the user of the runs in which it is held. */
export interface ConversationName {
  readonly id: string
  /** Undefined: the agent's own. */
  readonly subject: string | undefined
}

// No id of a conversation contains it, so no name that an agent chooses is that of a user's conversation (F7).
const MARK = '~'

/** The name by which session memory keeps a conversation. It contains a hash of the user's name, of one length. */
export function toStoredName({ id, subject }: ConversationName): string {
  return subject === undefined ? id : `${prefixOf(subject)}${id}`
}

/** The conversation behind a stored name as a user may see it: undefined for that of another user. */
export function visibleTo(subject: string, stored: string): ConversationName | undefined {
  if (!stored.startsWith(MARK)) return { id: stored, subject: undefined }
  const prefix = prefixOf(subject)
  return stored.startsWith(prefix) ? { id: stored.slice(prefix.length), subject } : undefined
}

function prefixOf(subject: string): string {
  return MARK + createHash('sha256').update(subject).digest('base64url') + MARK
}
