import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { ReferenceItem } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Card } from '#ui/parts/page/card.tsx'
import styles from './routes.module.css'
import { routesText } from './text.ts'

const text = routesText.usedBy

interface ReferencePage {
  readonly items: readonly Static<typeof ReferenceItem>[]
}

/** What uses a route, of what the caller may read. */
export function UsedByCard({ object: { metadata } }: { readonly object: KindObject }) {
  const { namespace = '', name } = metadata
  const query = { kind: 'ModelRoute', namespace, name, scope: 'permitted' }
  const { data, error } = useQuery(apiQuery<ReferencePage>(['usedby'], query))
  return (
    <Card title={text.title}>
      {data === undefined || data.items.length === 0 ? (
        <p className="faint" dir="auto">
          {data === undefined ? (error?.message ?? text.loading) : text.none}
        </p>
      ) : (
        <ul className={styles['users']}>
          {data.items.map((item) => (
            <li key={`${item.kind} ${item.namespace} ${item.name} ${item.field}`}>
              <UserName item={item} />
              <span className="mono faint clip">{item.field}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function UserName({ item: { kind, namespace, name } }: { readonly item: Static<typeof ReferenceItem> }) {
  if (kind !== 'AgentDeployment')
    return (
      <span dir="auto">
        <span className="dim">{kind}</span> {name}
      </span>
    )
  const path = [namespace, name].map(encodeURIComponent).join('/')
  return (
    <Link to={`/agents/${path}`} className="link" dir="auto">
      {name}
    </Link>
  )
}
