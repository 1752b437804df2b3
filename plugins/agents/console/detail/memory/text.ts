import { plural } from '#ui/text/plural.ts'

/** The words of the memory of an agent, in English. */
export const memoryText = {
  session: 'Session memory',
  longTerm: 'Long-term memory',
  conversations: (count: number, size: string) => `${plural(count, 'conversation', 'conversations')}, ${size}`,
  items: (count: number, size: string) => `${plural(count, 'item', 'items')}, ${size}`,
  noSession: 'This installation has no store for session memory.',
  noConversations: 'It remembers no conversation now. One is kept until its time is over.',
  noItems: 'It has remembered nothing beyond its conversations.',
  entries: (id: string) => `Entries of ${id}`,
  close: 'All conversations',
  shared: 'all users',
  more: 'Show older items',
  note: 'Newest first',
  columns: {
    id: 'Conversation',
    owner: 'Held by',
    size: 'Size',
    ends: 'Removed',
    text: 'Text',
    subject: 'User',
    stored: 'Stored',
  },
  owners: { agent: 'the agent', caller: 'your runs' },
} as const
