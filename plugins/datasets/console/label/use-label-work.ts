import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { requestApi } from '#ui/api/request-api.ts'
import { useSession } from '#ui/api/session.ts'
import { useAddress } from '#ui/contract/search.ts'
import { labelTypes } from '../shared/label-types.ts'
import type { DatasetItems, DatasetName, ShownCase, CaseLabel } from '../shared/shown-dataset.ts'
import { nextOpen, ownLabel } from './typed-label.ts'
import type { LabelType } from './typed-label.ts'

/** What is judged, and of which cases. It stands in the address. */
export interface LabelTask {
  readonly name: string
  readonly dataType: LabelType
  readonly show: 'open' | 'all'
}

/** The cases of a task, the one that is shown, and the labels of this person. */
export interface LabelWork {
  readonly task: LabelTask
  readonly cases: readonly ShownCase[] | undefined
  readonly hasMore: boolean
  readonly error: Error | null
  readonly retry: () => void
  readonly shown: ShownCase | undefined
  readonly mine: (shown: ShownCase) => CaseLabel | undefined
  readonly go: (id: string | undefined) => void
  readonly move: (step: number) => void
  /** Keeps a label that was given, and goes on to the next case without one. */
  readonly keep: (label: CaseLabel) => void
}

const PAGE = 50
/** So many cases before the end the next page is asked for. */
const AHEAD = 10

/** Cases to label. Their order stays while they are labelled: no event loads them again under the hands. */
export function useLabelWork({ namespace, name: dataset }: DatasetName): LabelWork {
  const [{ judge, as, show, item }, change] = useAddress()
  const task: LabelTask = {
    name: judge ?? 'correct',
    dataType: labelTypes.find((type) => type === as) ?? 'boolean',
    show: show === 'all' ? 'all' : 'open',
  }
  const annotator = useSession()?.session?.username ?? ''
  const [given, setGiven] = useState<ReadonlyMap<string, CaseLabel>>(new Map())
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['datasets', dataset, 'work', { namespace, ...(task.show === 'open' ? { unlabelled: task.name } : {}) }],
    queryFn: async ({ pageParam, signal }) => {
      const unlabelled = task.show === 'open' ? task.name : undefined
      const query = { namespace, unlabelled, cursor: pageParam, limit: PAGE }
      return (await (await requestApi({ path: ['datasets', dataset, 'cases'], query, signal })).json()) as CasePage
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    meta: { isLive: false },
  })
  const cases = data?.pages.flatMap(({ items }) => items)
  const keyOf = (id: string): string => `${task.name}/${id}`
  const mine = (one: ShownCase): CaseLabel | undefined =>
    given.get(keyOf(one.id)) ?? ownLabel(one.labels, { name: task.name, annotator })
  const labelled = new Set(cases?.filter((one) => mine(one) !== undefined).map(({ id }) => id))
  const ids = cases?.map(({ id }) => id) ?? []
  const shown = cases?.find(({ id }) => id === item) ?? (item === undefined ? cases?.[0] : undefined)
  const at = shown === undefined ? -1 : ids.indexOf(shown.id)
  const isNearEnd = cases !== undefined && ids.length - at <= AHEAD
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) fetchNextPage().catch(() => undefined)
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
  const go = (id: string | undefined): void => change({ item: id })
  return {
    task,
    cases,
    hasMore: hasNextPage,
    error,
    retry: () => {
      setGiven(new Map())
      go(undefined)
      refetch().catch(() => undefined)
    },
    shown,
    mine,
    go,
    move: (step) => {
      const next = ids[at + step]
      if (next !== undefined) go(next)
    },
    keep: (label) => {
      setGiven(new Map([...given, [keyOf(label.caseId), label]]))
      go(nextOpen(ids, label.caseId, new Set([...labelled, label.caseId])) ?? DONE)
    },
  }
}

type CasePage = DatasetItems<ShownCase>

/** Stands in the address when no case is left. No id of a case begins with a dot. */
export const DONE = '.done'
