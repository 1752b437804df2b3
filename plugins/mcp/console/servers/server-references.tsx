import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { McpServerReferences } from '#schemas/api/mcp.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import styles from './servers.module.css'
import { serversText } from './text.ts'

const text = serversText.references

type References = Static<typeof McpServerReferences>

const lists = [
  ['bindings', '/tools/bindings'],
  ['registries', '/tools/registries'],
  ['agents', '/agents'],
] as const

/** Bindings, registries and agents that use a server, of those that the caller may list. */
export function ServerUsersCard({ object: { metadata } }: { readonly object: KindObject }) {
  const { namespace = '', name } = metadata
  const { data, error } = useQuery(apiQuery<References>(['mcpservers', namespace, name, 'references']))
  return (
    <Card
      title={text.title}
      action={
        <ButtonLink isSmall kind="quiet" icon="plus" to={`/tools/bindings/new?namespace=${namespace}`}>
          {text.bind}
        </ButtonLink>
      }
    >
      {data === undefined ? (
        <p className="faint" dir="auto">
          {error?.message ?? text.loading}
        </p>
      ) : (
        <dl className={styles['references']}>
          {lists.map(([list, path]) => (
            <ReferenceList key={list} title={text[list]} path={path} items={data[list]} />
          ))}
        </dl>
      )}
      {data?.complete === false ? <p className="faint">{text.cut}</p> : undefined}
    </Card>
  )
}

interface ReferenceListProps {
  readonly title: string
  readonly path: string
  readonly items: readonly { readonly namespace: string; readonly name: string }[] | null
}

function ReferenceList({ title, path, items }: ReferenceListProps) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {items === null || items.length === 0 ? (
          <span className="faint">{items === null ? text.denied : text.none}</span>
        ) : (
          items.map(({ namespace, name }) => (
            <Link
              key={`${namespace}/${name}`}
              to={`${path}/${[namespace, name].map(encodeURIComponent).join('/')}`}
              className="link"
              dir="auto"
            >
              {namespace}/{name}
            </Link>
          ))
        )}
      </dd>
    </>
  )
}
