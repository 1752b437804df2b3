import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ComponentType } from 'react'
import { toApiUrl } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { CopyAs } from '#ui/parts/content/copy-as.tsx'
import { Tabs } from '#ui/parts/control/tabs.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { datasetQuery } from '../shared/dataset-query.ts'
import type { DatasetDialogName, DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText as text } from '../shared/text.ts'
import { DatasetFacts } from './dataset-facts.tsx'

interface TabProps {
  readonly place: DatasetName
}

// Each tab is code of its own, loaded when it is opened.
const panels: Readonly<Record<TabName, ComponentType<TabProps>>> = {
  cases: lazy(async () => ({ default: (await import('../cases/cases-tab.tsx')).CasesTab })),
  label: lazy(async () => ({ default: (await import('../label/label-tab.tsx')).LabelTab })),
  pins: lazy(async () => ({ default: (await import('../pins/pins-tab.tsx')).PinsTab })),
  exports: lazy(async () => ({ default: (await import('../export/exports-tab.tsx')).ExportsTab })),
}
const DatasetDialogs = lazy(async () => ({ default: (await import('./dataset-dialogs.tsx')).DatasetDialogs }))

type TabName = 'cases' | 'label' | 'pins' | 'exports'
const tabs = (Object.keys(panels) as TabName[]).map((value) => ({ value, label: text.tabs[value] }))

/** One dataset: its cases, labelling them, its pins and exports. */
export function DatasetPage() {
  const { ns = '', name = '' } = useParams({ strict: false }) as { readonly ns?: string; readonly name?: string }
  const place = { namespace: ns, name }
  const [{ tab: given }, change] = useAddress()
  const [dialog, setDialog] = useState<DatasetDialogName>()
  const navigate = useNavigate()
  // The name of the dataset needs the place.
  const isNarrow = useNarrow()
  const { data: dataset, error, refetch } = useQuery(datasetQuery(place))
  const tab = tabs.find(({ value }) => value === given)?.value ?? 'cases'
  const openTab = (value: string, item?: string): void =>
    change({ tab: value === 'cases' ? undefined : value, item, cursor: undefined, pin: undefined })
  const Panel = panels[tab]
  return (
    <>
      <PageBar
        title={name}
        crumbs={[{ label: text.title, to: '/datasets' }]}
        actions={dataset === undefined ? [] : actionsOf(setDialog)}
      >
        {isNarrow ? undefined : (
          <CopyAs request={{ method: 'GET', path: toApiUrl(['datasets', name], { namespace: ns }) }} />
        )}
      </PageBar>
      {dataset === undefined && error !== null ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {dataset === undefined ? undefined : (
        <>
          <DatasetFacts dataset={dataset} />
          <Tabs label={text.tabs.all} value={tab} options={tabs} onChange={(value) => openTab(value)} isTall>
            <Suspense>
              <Panel key={`${ns}/${name}`} place={place} />
            </Suspense>
          </Tabs>
        </>
      )}
      {dialog === undefined || dataset === undefined ? undefined : (
        <Suspense>
          <DatasetDialogs
            shown={dialog}
            dataset={dataset}
            onClose={() => setDialog(undefined)}
            onOpenTab={openTab}
            onGone={() => {
              navigate({ to: '/datasets' }).catch(() => undefined)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

function actionsOf(open: (dialog: DatasetDialogName) => void) {
  const { actions: words } = text
  return [
    { text: words.pin, icon: 'lock', rank: 'primary', onPick: () => open('pin') },
    { text: words.import, icon: 'plus', rank: 'secondary', onPick: () => open('import') },
    { text: words.export, icon: 'download', rank: 'secondary', onPick: () => open('export') },
    { text: words.edit, icon: 'edit', rank: 'menu', onPick: () => open('edit') },
    { text: words.remove, icon: 'bin', rank: 'menu', isDanger: true, onPick: () => open('remove') },
  ] as const
}
