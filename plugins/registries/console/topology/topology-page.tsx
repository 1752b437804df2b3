import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Topology } from '#ui/parts/topology/topology.tsx'
import { ObjectDock } from './object-dock.tsx'
import { topologyText as text } from './text.ts'
import { TopologyTable } from './topology-table.tsx'
import { filterNodes, toGraphEdges, toGraphNodes } from './topology-view.ts'
import type { TopologyView } from './topology-view.ts'
import styles from './topology.module.css'

/** What controllers report has no event. */
const STATUS_MS = 60_000
/** A narrower window opens on the table. */
const GRAPH_FROM_PX = 600

/** What depends on what, and where it hurts. */
export function TopologyPage() {
  const [{ namespace, view }, change] = useAddress()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery({
    ...apiQuery<TopologyView>(['topology'], scope),
    refetchInterval: STATUS_MS,
  })
  const first = innerWidth < GRAPH_FROM_PX ? 'table' : 'graph'
  const shown = view === 'graph' || view === 'table' ? view : first
  return (
    <>
      <PageBar title={text.title}>
        <Segmented
          label={text.view}
          value={shown}
          options={[
            { value: 'graph', label: text.graph, icon: 'sitemap' },
            { value: 'table', label: text.table, icon: 'list' },
          ]}
          onChange={(next) => change({ view: next === first ? undefined : next })}
        />
      </PageBar>
      {data === undefined ? (
        error === null ? (
          <div className={styles['waiting']} aria-busy />
        ) : (
          <ProblemState
            error={error}
            onRetry={() => {
              refetch().catch(() => undefined)
            }}
          />
        )
      ) : (
        <Objects topology={data} view={shown} error={error} />
      )}
    </>
  )
}

interface ObjectsProps {
  readonly topology: TopologyView
  readonly view: 'graph' | 'table'
  readonly error: Error | null
}

function Objects({ topology, view, error }: ObjectsProps) {
  const [{ q = '', show, item }, change] = useAddress()
  const isTroubleOnly = show === 'trouble'
  const nodes = useMemo(() => filterNodes(topology, { words: q, isTroubleOnly }), [topology, q, isTroubleOnly])
  const graphNodes = useMemo(() => toGraphNodes(nodes), [nodes])
  const edges = useMemo(() => toGraphEdges(topology.edges, nodes), [topology, nodes])
  const trouble = topology.nodes.filter(({ rank }) => rank > 0).length
  const pick = (id: string | undefined): void =>
    change({ item: id }, item === undefined && id !== undefined ? 'push' : 'replace')
  const clear = (): void => change({ q: undefined, show: undefined })
  if (topology.nodes.length === 0)
    return (
      <EmptyState icon="sitemap" title={text.empty}>
        {text.emptyDetail}
      </EmptyState>
    )
  return (
    <>
      <FilterBar setCount={(q === '' ? 0 : 1) + (isTroubleOnly ? 1 : 0)} onClear={clear}>
        <SearchField label={text.find} value={q} onChange={(words) => change({ q: words })} />
        <Segmented
          label={text.show}
          value={isTroubleOnly ? 'trouble' : 'all'}
          options={[
            { value: 'all', label: text.all(topology.nodes.length) },
            { value: 'trouble', label: text.trouble(trouble) },
          ]}
          onChange={(next) => change({ show: next === 'all' ? undefined : next })}
        />
        <span className={styles['note']}>{text.shown(nodes.length)}</span>
      </FilterBar>
      <Omitted topology={topology} />
      {error === null ? undefined : <Notice tone="warn">{error.message}</Notice>}
      <Split dock={item === undefined ? undefined : <ObjectDock topology={topology} id={item} onPick={pick} />}>
        {nodes.length === 0 ? (
          <NoMatch onClear={clear} />
        ) : view === 'graph' ? (
          <Topology
            nodes={graphNodes}
            edges={edges}
            picked={item}
            onPick={pick}
            label={text.graphLabel(nodes.length)}
          />
        ) : (
          <TopologyTable nodes={nodes} edges={topology.edges} picked={item} onPick={pick} />
        )}
      </Split>
    </>
  )
}

function Omitted({ topology: { omitted, truncated: isCut } }: { readonly topology: TopologyView }) {
  const left = Object.entries(omitted).map(([kind, count]) => `${count} ${kind}`)
  if (!isCut && left.length === 0) return undefined
  return (
    <div className={styles['notice']}>
      <Notice tone="info">{left.length === 0 ? text.cut : text.omitted(left.join(', '))}</Notice>
    </div>
  )
}
