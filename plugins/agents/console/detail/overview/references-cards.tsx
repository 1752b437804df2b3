import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ReferenceItem } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { usedByQuery } from '../../shared/used-by.ts'
import type { AgentPlace } from '../../shared/use-agent.ts'
import styles from './overview.module.css'
import { overviewText as text } from './text.ts'

/** A reference between two objects. */
type ShownReference = Static<typeof ReferenceItem>

/** What the agent refers to, and what refers to it. */
export function ReferencesCards({ place }: { readonly place: AgentPlace }) {
  const { namespace, name } = place
  const references = useQuery(apiQuery<ReferenceAnswer>(['agents', namespace, name, 'references']))
  const users = useQuery(usedByQuery(place))
  return (
    <>
      <ReferenceCard title={text.references.title} none={text.references.none} answer={references} />
      <ReferenceCard title={text.usedBy.title} none={text.usedBy.none} answer={users} />
    </>
  )
}

interface ReferenceAnswer {
  readonly items: readonly ShownReference[]
}

interface ReferenceCardProps {
  readonly title: string
  readonly none: string
  readonly answer: { readonly data: ReferenceAnswer | undefined; readonly error: Error | null }
}

// A failure of one card leaves the others.
function ReferenceCard({ title, none, answer: { data, error } }: ReferenceCardProps) {
  const note = data?.items.length === 0 ? none : (error?.message ?? text.loading)
  return (
    <Card title={title}>
      {data === undefined || data.items.length === 0 ? (
        <p className="faint" dir="auto">
          {note}
        </p>
      ) : (
        <ul className={styles['refs']}>
          {data.items.map((item) => (
            <ReferenceRow key={`${item.kind} ${item.namespace} ${item.name} ${item.field}`} item={item} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ReferenceRow({ item: { kind, name, field, found } }: { readonly item: ShownReference }) {
  return (
    <li>
      <span className="dim">{kind}</span>
      <b dir="auto">{name}</b>
      {found === false ? <Tag tone="bad">{text.references.missing}</Tag> : undefined}
      {found === null ? <Tag>{text.references.unknown}</Tag> : undefined}
      <span className={`mono ${styles['field']}`}>{field}</span>
    </li>
  )
}
