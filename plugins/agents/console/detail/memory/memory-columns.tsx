import type { AgentMemoryItem, ConversationList } from '#schemas/api/memory.ts'
import { toSize } from '#ui/parts/format/counts.ts'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './memory.module.css'
import { memoryText as text } from './text.ts'

type ShownConversation = ConversationList['conversations'][number]

const { columns: titles } = text

/** Columns of the conversations in session memory. */
export const conversationColumns: readonly DataColumn<ShownConversation>[] = [
  {
    title: titles.id,
    isWide: true,
    cell: ({ id }) => (
      <span className="mono" dir="auto">
        {id}
      </span>
    ),
  },
  { title: titles.owner, rank: 2, cell: ({ owner }) => text.owners[owner] },
  { title: titles.size, align: 'end', cell: ({ bytes }) => toSize(bytes) },
  { title: titles.ends, align: 'end', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

/** Columns of the items of long-term memory. */
export const itemColumns: readonly DataColumn<AgentMemoryItem>[] = [
  {
    title: titles.text,
    isWide: true,
    cell: (item) => (
      <span className={`user-text ${styles['remembered']}`} dir="auto">
        {item.text}
      </span>
    ),
  },
  {
    title: titles.subject,
    rank: 2,
    cell: ({ subject }) => (subject === null ? <span className="faint">{text.shared}</span> : <Actor name={subject} />),
  },
  { title: titles.size, rank: 3, align: 'end', cell: ({ bytes }) => toSize(bytes) },
  { title: titles.stored, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]
