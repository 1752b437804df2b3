import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { ReferenceItem } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { PromptPlace } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'
import styles from './prompt.module.css'

const text = promptsText.users

interface ReferencePage {
  readonly items: readonly Static<typeof ReferenceItem>[]
}

/** The agents that use the prompt, of those that the caller may read. */
export function PromptUsersTab({ place }: { readonly place: PromptPlace }) {
  const { data, error, refetch } = useQuery(apiQuery<ReferencePage>(['usedby'], { kind: 'PromptVersion', ...place }))
  if (data === undefined && error !== null)
    return (
      <ProblemState
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
      />
    )
  return (
    <Report>
      <Card title={text.title}>
        {data === undefined ? <p className="faint">{text.loading}</p> : undefined}
        {data?.items.length === 0 ? <p className="faint">{text.none}</p> : undefined}
        <ul className={styles['variables']}>
          {data?.items.map(({ namespace, name }) => (
            <li key={`${namespace}/${name}`}>
              <Link to={`/agents/${[namespace, name].map(encodeURIComponent).join('/')}`} className="link" dir="auto">
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Report>
  )
}
