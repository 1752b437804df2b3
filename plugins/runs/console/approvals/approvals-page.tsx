import { useEffect, useState } from 'react'
import { useCapability } from '#ui/api/capabilities.ts'
import { useAddress } from '#ui/contract/search.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { findItem, nextItem } from './items/approval-items.ts'
import styles from './approvals.module.css'
import { Decided } from './decided.tsx'
import { DecisionSheet } from './decision/decision.tsx'
import { QueueSkeleton, Queue } from './queue.tsx'
import { approvalsText as text } from './items/text.ts'
import { useApprovals } from './use-approvals.ts'
import type { ApprovalQueue } from './use-approvals.ts'

/** Decisions that runs wait for: the queue, and the decision that is chosen. */
export function ApprovalsPage() {
  const queue = useApprovals()
  const { items, error, retry, hasMore } = queue
  const waiting = items === undefined ? undefined : text.waiting(items.length, hasMore)
  return (
    <>
      <PageBar title={text.title}>
        {waiting === undefined ? undefined : <Tag>{waiting}</Tag>}
        <ToolApprovals />
      </PageBar>
      {items === undefined && error !== null ? <ProblemState error={error} onRetry={retry} /> : <Inbox queue={queue} />}
    </>
  )
}

function Inbox({ queue: { items, hasMore, error, keep, retry } }: { readonly queue: ApprovalQueue }) {
  const [{ item }, change] = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const first = items?.[0]?.id
  const choose = (id: string | undefined): void => change({ item: id })
  // Written into the address, so that what is being read does not move when a more urgent decision arrives.
  useEffect(() => {
    if (item === undefined && first !== undefined) change({ item: first })
  }, [item, first, change])
  if (items === undefined) return <QueueSkeleton />
  if (items.length === 0 && item === undefined) return <NothingWaits />
  const shown = item === undefined ? items[0] : findItem(items, item)
  return (
    <div className={styles['inbox']}>
      <div className={styles['side']}>
        {error === null ? undefined : <Notice tone="warn">{error.message}</Notice>}
        <Queue
          items={items}
          shown={shown?.id}
          selected={selected}
          onChoose={choose}
          onSelect={setSelected}
          onRejected={keep}
        />
        {hasMore ? <p className={styles['note']}>{text.more(items.length)}</p> : undefined}
      </div>
      {shown === undefined ? (
        <Decided key={item} item={item ?? ''} onNext={() => choose(items[0]?.id)} />
      ) : (
        <DecisionSheet
          key={shown.id}
          item={shown}
          onDecided={(run) => {
            choose(nextItem(items, shown.id)?.id)
            keep([run])
          }}
          onOvertaken={(run) => {
            keep([run])
            retry()
          }}
        />
      )}
    </div>
  )
}

// Tools of MCP servers wait on a page of their own: such a decision does not belong to a run.
function ToolApprovals() {
  const [{ namespace }] = useAddress()
  const isServed = useCapability('mcp.approvals')
  if (!isServed) return undefined
  return (
    <ButtonLink
      isSmall
      kind="quiet"
      icon="tool"
      to={`/mcpapprovals${namespace === undefined ? '' : `?namespace=${namespace}`}`}
    >
      {text.tools}
    </ButtonLink>
  )
}

function NothingWaits() {
  return (
    <EmptyState icon="approvals" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
