import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { NavigationPage } from '../../../schemas/api/identity.ts'
import { apiQuery } from '../../api/queries.ts'
import { requestApi } from '../../api/request-api.ts'
import { JsonView } from '../../parts/content/json-view.tsx'
import { Card, Report } from '../../parts/page/card.tsx'
import { DockFacts } from '../../parts/page/split.tsx'
import { EmptyState } from '../../parts/state/empty-state.tsx'
import { ProblemState } from '../../parts/state/problem-state.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { kindText as text } from '../../text/kinds.ts'
import { toCell, valueAt } from '../kind-object.ts'
import { fillPath, itemsOf, readDeclaration } from './declaration.ts'
import type { Declaration, PathNames } from './declaration.ts'
import { RowActions } from './declared-action.tsx'

interface DeclaredSourceProps {
  readonly page: Static<typeof NavigationPage>
  readonly names: PathNames
}

/** What a third party declares, for names: a list or an object of a route of its plugin. */
export function DeclaredSource({ page: { title, entry }, names }: DeclaredSourceProps) {
  const declaration = useQuery({
    queryKey: ['declaration', entry?.path, entry?.integrity],
    queryFn: async ({ signal }) => {
      const { path = '', integrity = '' } = entry ?? {}
      const response = await requestApi({ path: path.split('/').slice(2), integrity, signal })
      return readDeclaration(await response.json())
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (declaration.error !== null) return <ProblemState error={declaration.error} />
  if (declaration.data === undefined) return undefined
  return <DeclaredContent title={title} declaration={declaration.data} names={names} />
}

interface DeclaredContentProps {
  readonly title: string
  readonly declaration: Declaration
  readonly names: PathNames
}

function DeclaredContent({ title, declaration, names }: DeclaredContentProps) {
  const path = fillPath(declaration.source, names)
  const { data, error, refetch } = useQuery({
    ...apiQuery<unknown>(path ?? []),
    enabled: path !== undefined,
    refetchInterval: 10_000,
  })
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  if (path === undefined)
    return (
      <EmptyState icon="world" title={text.declared.choose}>
        {text.declared.chooseDetail}
      </EmptyState>
    )
  if (declaration.layout === 'detail') {
    if (data === undefined) return error === null ? undefined : <ProblemState error={error} onRetry={retry} />
    return (
      <Report>
        <Card title={title} action={<RowActions declaration={declaration} item={data} names={names} />}>
          <DockFacts
            facts={declaration.shown.map((one) => [
              one.title,
              <FieldValue key={one.field} value={valueAt(data, one.field)} title={one.title} />,
            ])}
          />
        </Card>
      </Report>
    )
  }
  const hasActions = declaration.actions.length > 0
  return (
    <DataTable
      label={title}
      columns={[
        ...declaration.shown.map((one, index) => ({
          title: one.title,
          rank: index < 3 ? (1 as const) : (3 as const),
          isWide: index === 0,
          cell: (item: unknown) => <span dir="auto">{toCell(valueAt(item, one.field))}</span>,
        })),
        ...(hasActions
          ? [
              {
                title: '',
                align: 'end' as const,
                cell: (item: unknown) => <RowActions declaration={declaration} item={item} names={names} />,
              },
            ]
          : []),
      ]}
      rows={data === undefined ? undefined : itemsOf(data)}
      keyOf={(item) => JSON.stringify(item)}
      error={error}
      onRetry={retry}
      empty={
        <EmptyState icon="list" title={text.declared.none}>
          {text.declared.noneDetail}
        </EmptyState>
      }
    />
  )
}

function FieldValue({ value, title }: { readonly value: unknown; readonly title: string }) {
  return typeof value === 'object' && value !== null ? <JsonView label={title} value={value} /> : toCell(value)
}
