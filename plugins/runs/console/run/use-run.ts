import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { apiQuery } from '#ui/api/queries.ts'
import { requestApi } from '#ui/api/request-api.ts'
import { nodesById } from '#ui/parts/run/run-node.ts'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'
import { loadTree } from './load-tree.ts'
import type { LoadedTree, LoadedPart, WantedTree } from './load-tree.ts'
import { isOpenRun } from './run-state.ts'
import type { RunOfPage } from './run-state.ts'
import { useRunEvents } from './use-run-events.ts'

const POLL_MS = 2000
/** With a stream, the poll only brings what no event says, such as the cost. */
const SLOW_POLL_MS = 10_000
const REFRESH_MS = 1000

/** All that the page of a run shows. The events are read while the run goes on, and when they are asked for. */
export function useRun(
  id: string,
  { spanId, hasEvents }: { readonly spanId: string | undefined; readonly hasEvents: boolean },
) {
  const queries = useQueryClient()
  const [wanted, setWanted] = useState<WantedTree>({ parts: 1, spanId })
  const refresh = useThrottled(() => queries.invalidateQueries({ queryKey: ['runs', id] }))
  const isLive = useRef(false)
  const run = useQuery({
    ...apiQuery<RunOfPage>(['runs', id]),
    refetchInterval: ({ state }) => (isOpenRun(state.data) ? (isLive.current ? SLOW_POLL_MS : POLL_MS) : false),
    staleTime: ({ state }) => (state.data === undefined || isOpenRun(state.data) ? 0 : Number.POSITIVE_INFINITY),
  })
  const isOpen = isOpenRun(run.data)
  const stream = useRunEvents(id, isOpen || hasEvents, () => (isOpen ? refresh() : undefined))
  isLive.current = stream.connection === 'live'
  const tree = useQuery({
    queryKey: ['runs', id, 'tree', wanted],
    queryFn: ({ signal }) => loadTree((after) => readPart(id, after, signal), wanted),
    placeholderData: keepPreviousData,
    enabled: run.data !== undefined,
    refetchInterval: isOpen && !isLive.current ? POLL_MS : false,
    staleTime: isOpen ? 0 : Number.POSITIVE_INFINITY,
  })
  const flat = useMemo(() => (tree.data === undefined ? undefined : flatten(tree.data)), [tree.data])
  const loadMore = (): void => setWanted({ ...wanted, parts: wanted.parts + 1 })
  return { run, tree, flat, isOpen, stream, loadMore }
}

function flatten({ root }: LoadedTree) {
  return { spans: flattenTree(root), nodes: nodesById(root) }
}

async function readPart(id: string, after: number | undefined, signal: AbortSignal): Promise<LoadedPart> {
  return (await (await requestApi({ path: ['runs', id, 'tree'], query: { after }, signal })).json()) as LoadedPart
}

// Many entries come at once; what they changed is read at most once a second.
function useThrottled(act: () => Promise<unknown>): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      act().catch(() => undefined)
    }, REFRESH_MS)
  }
}
