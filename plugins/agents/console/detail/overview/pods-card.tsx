import type { AgentPodView } from '#schemas/api/agent-views.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

const text = overviewText.pods
const { columns: titles } = text
const columns: readonly DataColumn<AgentPodView>[] = [
  { title: titles.name, isWide: true, cell: ({ name }) => <span className="mono">{name}</span> },
  { title: titles.state, cell: (pod) => <PodState pod={pod} /> },
  { title: titles.revision, rank: 2, cell: ({ revision }) => (revision === null ? UNKNOWN : `r${revision}`) },
  { title: titles.restarts, align: 'end', rank: 2, cell: ({ restarts }) => <Count value={restarts} /> },
  { title: titles.ended, rank: 3, cell: ({ lastTermination: ended }) => <LastEnd ended={ended} /> },
  { title: titles.age, align: 'end', cell: ({ startedAt }) => <Time at={startedAt} /> },
]

/** The pods of the agent. */
export function PodsCard({ pods }: { readonly pods: readonly AgentPodView[] | null | undefined }) {
  const note = pods === null ? text.denied : text.none
  return (
    <Card title={text.title} isFlush>
      {pods === null || pods?.length === 0 ? (
        <p className={styles['note']}>{note}</p>
      ) : (
        <DataTable label={text.title} columns={columns} rows={pods} keyOf={({ name }) => name} empty={note} isInCard />
      )}
    </Card>
  )
}

function PodState({ pod: { ready: isReady, phase } }: { readonly pod: AgentPodView }) {
  if (isReady) return <StatusBadge state="ready" />
  return <StatusBadge state={phase === 'Running' || phase === 'Pending' ? 'progressing' : phase}>{phase}</StatusBadge>
}

function LastEnd({ ended }: { readonly ended: AgentPodView['lastTermination'] }) {
  return ended === null ? UNKNOWN : <span dir="auto">{text.ended(ended.reason, ended.exitCode)}</span>
}
