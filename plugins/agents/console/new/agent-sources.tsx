import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Recipe } from '#schemas/api/templates.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { AgentSource } from './agent-source.ts'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'

interface SourcesProps {
  readonly kind: AgentSource['kind']
  readonly onPick: (source: AgentSource) => void
}

/** The recipes, templates or agents that a new agent may begin with. */
export function AgentSources({ kind, onPick }: SourcesProps) {
  if (kind === 'template') return <Templates onPick={onPick} />
  return kind === 'fork' ? <Agents onPick={onPick} /> : <Recipes onPick={onPick} />
}

type PickProps = Pick<SourcesProps, 'onPick'>

interface ListedObject {
  readonly metadata: { readonly namespace: string; readonly name: string }
  readonly spec: { readonly title?: string; readonly description?: string; readonly tags?: readonly string[] }
}

function Recipes({ onPick }: PickProps) {
  const { data, error, refetch } = useQuery(apiQuery<{ readonly items: readonly Recipe[] }>(['recipes']))
  return (
    <Cards items={data?.items} error={error} onRetry={refetch} keyOf={({ id }) => id} empty={undefined}>
      {({ id, title, description, tags }) => (
        <SourceCard title={title} detail={description} tags={tags} onPick={() => onPick({ kind: 'recipe', id })} />
      )}
    </Cards>
  )
}

function Templates({ onPick }: PickProps) {
  const asked = { scope: 'permitted', kind: 'agent', limit: 100 }
  const { data, error, refetch } = useQuery(apiQuery<{ readonly items: readonly ListedObject[] }>(['templates'], asked))
  const empty = (
    <EmptyState icon="stack" title={text.noTemplates}>
      {text.noTemplatesDetail}
    </EmptyState>
  )
  return (
    <Cards items={data?.items} error={error} onRetry={refetch} keyOf={keyOf} empty={empty}>
      {({ metadata, spec: { title = metadata.name, description = '', tags = [] } }) => (
        <SourceCard
          title={title}
          detail={description}
          tags={tags}
          onPick={() => onPick({ kind: 'template', id: keyOf({ metadata }) })}
        />
      )}
    </Cards>
  )
}

function Agents({ onPick }: PickProps) {
  const asked = { scope: 'permitted', limit: 100 }
  const { data, error, refetch } = useQuery(apiQuery<{ readonly items: readonly ListedObject[] }>(['agents'], asked))
  const empty = (
    <EmptyState icon="agent" title={text.noAgents}>
      {text.noAgentsDetail}
    </EmptyState>
  )
  return (
    <Cards items={data?.items} error={error} onRetry={refetch} keyOf={keyOf} empty={empty}>
      {({ metadata }) => (
        <SourceCard
          title={metadata.name}
          detail={metadata.namespace}
          tags={[]}
          onPick={() => onPick({ kind: 'fork', id: keyOf({ metadata }) })}
        />
      )}
    </Cards>
  )
}

function keyOf({ metadata: { namespace, name } }: Pick<ListedObject, 'metadata'>): string {
  return `${namespace}/${name}`
}

interface CardsProps<Item> {
  readonly items: readonly Item[] | undefined
  readonly error: Error | null
  readonly onRetry: () => Promise<unknown>
  readonly keyOf: (item: Item) => string
  readonly empty: ReactNode
  readonly children: (item: Item) => ReactNode
}

function Cards<Item>({ items, error, onRetry, keyOf: toKey, empty, children }: CardsProps<Item>) {
  const retry = (): void => {
    onRetry().catch(() => undefined)
  }
  if (items === undefined) return error === null ? undefined : <ProblemState error={error} onRetry={retry} />
  if (items.length === 0) return <>{empty}</>
  return (
    <ul className={styles['cards']}>
      {items.map((item) => (
        <li key={toKey(item)}>{children(item)}</li>
      ))}
    </ul>
  )
}

interface SourceCardProps {
  readonly title: string
  readonly detail: string
  readonly tags: readonly string[]
  readonly onPick: () => void
}

function SourceCard({ title, detail, tags, onPick }: SourceCardProps) {
  return (
    <button type="button" className={styles['card']} onClick={onPick}>
      <b dir="auto">{title}</b>
      <span className={styles['detail']} dir="auto">
        {detail}
      </span>
      <span className={styles['tags']}>
        {tags.slice(0, 5).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    </button>
  )
}
