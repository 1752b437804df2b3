import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { AgentMemory, AgentMemoryItem, ConversationList } from '#schemas/api/memory.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { toSize } from '#ui/parts/format/counts.ts'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { TabProblem } from '../../shared/tab-problem.tsx'
import { conversationColumns, itemColumns } from './memory-columns.tsx'
import styles from './memory.module.css'
import { memoryText as text } from './text.ts'

type ShownMemory = Static<typeof AgentMemory>

/** What the agent remembers: in its conversations, and beyond them. */
export function MemoryTab({ place: { namespace, name } }: AgentTabProps) {
  const [{ conversation }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const query = { cursor, conversationId: conversation }
  const { data, error, refetch } = useQuery(apiQuery<ShownMemory>(['agents', namespace, name, 'memory'], query))
  if (data === undefined) return <TabProblem error={error} refetch={refetch} />
  const isFirst = cursor === undefined
  const next = data.nextCursor
  return (
    <Report>
      {isFirst ? (
        <SessionCard
          session={data.session}
          conversation={conversation}
          onOpen={(id) => change({ conversation: id, cursor: undefined })}
        />
      ) : undefined}
      {conversation === undefined ? <ItemsCard items={data.items} usage={data.usage} /> : undefined}
      {isFirst && next === null ? undefined : (
        <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
      )}
    </Report>
  )
}

interface SessionCardProps {
  readonly session: ConversationList | null
  readonly conversation: string | undefined
  readonly onOpen: (id: string | undefined) => void
}

function SessionCard({ session, conversation, onOpen }: SessionCardProps) {
  if (session === null) {
    return (
      <Card title={text.session}>
        <p className="faint">{text.noSession}</p>
      </Card>
    )
  }
  if (conversation !== undefined) {
    return (
      <Card title={text.entries(conversation)} action={<Button onClick={() => onOpen(undefined)}>{text.close}</Button>}>
        <JsonView label={text.entries(conversation)} value={session.entries ?? []} />
      </Card>
    )
  }
  const { conversations, usage } = session
  return (
    <Card
      title={text.session}
      isFlush
      action={<span className="faint num">{text.conversations(usage.conversations, toSize(usage.bytes))}</span>}
    >
      <DataTable
        label={text.session}
        columns={conversationColumns}
        rows={conversations}
        keyOf={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        empty={<p className={styles['note']}>{text.noConversations}</p>}
        isInCard
      />
    </Card>
  )
}

function ItemsCard({
  items,
  usage,
}: {
  readonly items: readonly AgentMemoryItem[]
  readonly usage: ShownMemory['usage']
}) {
  return (
    <Card
      title={text.longTerm}
      isFlush
      action={<span className="faint num">{text.items(usage.items, toSize(usage.bytes))}</span>}
    >
      <DataTable
        label={text.longTerm}
        columns={itemColumns}
        rows={items}
        keyOf={({ id }) => id}
        empty={<p className={styles['note']}>{text.noItems}</p>}
        isInCard
      />
    </Card>
  )
}
