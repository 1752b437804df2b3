import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { ManifestVerdict } from '../shared/use-manifest-decision.ts'
import { ManifestQueue } from './manifest-queue.tsx'
import { ManifestSheet } from './manifest-sheet.tsx'
import styles from './approvals.module.css'
import { manifestsText as text } from './text.ts'
import { placeOfManifest } from './waiting-manifests.ts'
import type { WaitingManifests } from './waiting-manifests.ts'
import { waitingQuery } from './waiting-query.ts'

/** Tools that wait for an approval: the servers, and what the chosen one would change. */
export function ManifestApprovalsPage() {
  const [{ namespace }] = useAddress()
  const { data, error, refetch } = useQuery(waitingQuery(namespace))
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <>
      <PageBar title={text.title}>
        {data === undefined ? undefined : <Tag>{text.waiting(data.items.length, data.hasMore)}</Tag>}
      </PageBar>
      {data === undefined && error !== null ? (
        <ProblemState error={error} onRetry={retry} />
      ) : (
        <ManifestInbox waiting={data} error={error} />
      )}
    </>
  )
}

interface ManifestInboxProps {
  readonly waiting: WaitingManifests | undefined
  readonly error: Error | null
}

function ManifestInbox({ waiting, error }: ManifestInboxProps) {
  const [{ item }, change] = useAddress()
  // What was decided here, until the list says it, too.
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, ManifestVerdict>>(new Map())
  if (waiting === undefined) return <QueueBones />
  const { items, hasMore } = waiting
  if (items.length === 0 && item === undefined)
    return (
      <EmptyState icon="tool" title={text.empty}>
        {text.emptyDetail}
      </EmptyState>
    )
  const shown = item === undefined ? items[0] : items.find((one) => placeOfManifest(one) === item)
  const verdictOf = ({ uid, digest, decision }: McpApproval): ManifestVerdict | undefined =>
    verdicts.get(`${uid} ${digest}`) ?? decision?.state
  return (
    <div className={styles['inbox']}>
      <div className={styles['side']}>
        {error === null ? undefined : <Notice tone="warn">{error.message}</Notice>}
        <ManifestQueue
          items={items}
          shown={shown}
          verdictOf={verdictOf}
          onChoose={(place) => change({ item: place })}
        />
        {hasMore ? <p className="faint">{text.more}</p> : undefined}
      </div>
      {shown === undefined ? (
        <Gone onNext={items.length === 0 ? undefined : () => change({ item: undefined })} />
      ) : (
        <ManifestSheet
          key={shown.uid}
          item={shown}
          verdict={verdictOf(shown)}
          onDecided={(verdict) => {
            change({ item: placeOfManifest(shown) })
            setVerdicts(new Map([...verdicts, [`${shown.uid} ${shown.digest}`, verdict]]))
          }}
        />
      )}
    </div>
  )
}

function Gone({ onNext }: { readonly onNext: (() => void) | undefined }) {
  return (
    <PageState
      icon="check"
      title={text.gone}
      actions={onNext === undefined ? undefined : <Button onClick={onNext}>{text.next}</Button>}
    >
      {text.goneDetail}
    </PageState>
  )
}

function QueueBones() {
  return (
    <div className={styles['inbox']} aria-busy>
      <div className={styles['side']}>
        {['a', 'b', 'c', 'd'].map((row) => (
          <div key={row} className={styles['bone']} />
        ))}
      </div>
    </div>
  )
}
