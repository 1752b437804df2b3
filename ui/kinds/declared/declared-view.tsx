import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { NavigationPage } from '../../../schemas/api/identity.ts'
import { apiQuery } from '../../api/queries.ts'
import { requestApi, sendApi } from '../../api/request-api.ts'
import { useAddress } from '../../contract/search.ts'
import { JsonView } from '../../parts/content/json-view.tsx'
import { Button } from '../../parts/control/button.tsx'
import { ConfirmDialog } from '../../parts/overlay/confirm-dialog.tsx'
import { showToast } from '../../parts/overlay/toast-store.ts'
import { Card, Report } from '../../parts/page/card.tsx'
import { PageBar } from '../../parts/page/page-bar.tsx'
import { DockFacts } from '../../parts/page/split.tsx'
import { EmptyState } from '../../parts/state/empty-state.tsx'
import { ProblemState } from '../../parts/state/problem-state.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { kindText as text } from '../../text/kinds.ts'
import { toCell, valueAt } from '../kind-object.ts'
import { fillPath, itemsOf, namesOf, readDeclaration } from './declaration.ts'
import type { DeclaredAction, Declaration, PathNames } from './declaration.ts'

interface DeclaredViewProps {
  readonly page: Static<typeof NavigationPage>
  readonly entryPath: string
  readonly integrity: string
  /** Segments of the address below the page: namespace and name. */
  readonly rest: readonly string[]
}

/** A page that a third party declares: a list or an object of a route of its plugin. */
export function DeclaredView({ page, entryPath, integrity, rest }: DeclaredViewProps) {
  const declaration = useQuery({
    queryKey: ['declaration', entryPath, integrity],
    queryFn: async ({ signal }) => {
      const response = await requestApi({ path: entryPath.split('/').slice(2), integrity, signal })
      return readDeclaration(await response.json())
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <>
      <PageBar title={page.title} />
      {declaration.error === null ? undefined : <ProblemState error={declaration.error} />}
      {declaration.data === undefined ? undefined : (
        <DeclaredContent title={page.title} declaration={declaration.data} rest={rest} />
      )}
    </>
  )
}

interface DeclaredContentProps {
  readonly title: string
  readonly declaration: Declaration
  readonly rest: readonly string[]
}

function DeclaredContent({ title, declaration, rest }: DeclaredContentProps) {
  const [{ namespace }] = useAddress()
  const names: PathNames = { ns: rest.length > 1 ? rest[0] : namespace, name: rest.at(-1) }
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

interface RowActionsProps {
  readonly declaration: Declaration
  readonly item: unknown
  readonly names: PathNames
}

function RowActions({ declaration, item, names }: RowActionsProps) {
  const [picked, setPicked] = useState<DeclaredAction>()
  const own = namesOf(item, declaration, names)
  return (
    <>
      {declaration.actions.map((action) =>
        fillPath(action.path, own) === undefined ? undefined : (
          <Button key={action.title} isSmall onClick={() => setPicked(action)}>
            {action.title}
          </Button>
        ),
      )}
      {picked === undefined ? undefined : (
        <ActionDialog action={picked} names={own} onClose={() => setPicked(undefined)} />
      )}
    </>
  )
}

interface ActionDialogProps {
  readonly action: DeclaredAction
  readonly names: PathNames
  readonly onClose: () => void
}

// What a route of a third party does is not known, so that each action asks once.
function ActionDialog({ action: { title, method, path }, names, onClose }: ActionDialogProps) {
  const queries = useQueryClient()
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const segments = fillPath(path, names) ?? []
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      await sendApi({ method, path: segments })
      queries.invalidateQueries({ queryKey: segments.slice(0, 2) }).catch(() => undefined)
      showToast({ kind: 'done', message: text.declared.done(title) })
      onClose()
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      title={title}
      effects={[text.declared.effect(method, `/api/${segments.join('/')}`)]}
      action={title}
      isDanger={method === 'DELETE'}
      isBusy={isBusy}
      onConfirm={() => {
        send().catch(() => undefined)
      }}
      onClose={onClose}
    >
      {error === undefined ? undefined : <ProblemState error={error} />}
    </ConfirmDialog>
  )
}
