import { useInfiniteQuery } from '@tanstack/react-query'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { requestApi } from '#ui/api/request-api.ts'
import type { RequestQuery } from '#ui/api/request-api.ts'
import { isOpenPhase } from './shown-results.ts'
import type { ShownResult } from './shown-results.ts'

const RUNNING_MS = 3_000
const CASES = 500

/** Results of an evaluation as far as they were read. */
export interface ReadResults {
  readonly results: EvalResultsView | undefined
  /** Of every page that was read. */
  readonly cases: readonly ShownResult[]
  readonly hasMore: boolean
  readonly isReading: boolean
  readonly readMore: () => void
  readonly error: Error | null
  readonly retry: () => void
}

/** Names of a suite, and of the evaluation by it; without a revision, the newest. */
export interface ResultsPlace {
  readonly namespace: string
  readonly suite: string
  readonly agent?: string | undefined
  readonly revision?: string | undefined
}

/** Reads the results of a suite, and again while an evaluation runs. */
export function useResults({ namespace, suite, agent, revision }: ResultsPlace): ReadResults {
  const path = ['evalsuites', namespace, suite, 'results']
  const query: RequestQuery = { agent, revision, limit: CASES }
  const read = useInfiniteQuery({
    queryKey: [...path, query],
    queryFn: async ({ pageParam, signal }) => {
      const response = await requestApi({ path, query: { ...query, after: pageParam }, signal })
      return (await response.json()) as EvalResultsView
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (isOpenPhase(state.data?.pages[0]?.phase ?? null) ? RUNNING_MS : false),
  })
  return {
    results: read.data?.pages[0],
    cases: read.data?.pages.flatMap(({ cases }) => cases) ?? [],
    hasMore: read.hasNextPage,
    isReading: read.isFetchingNextPage,
    readMore: () => {
      read.fetchNextPage().catch(() => undefined)
    },
    error: read.error,
    retry: () => {
      read.refetch().catch(() => undefined)
    },
  }
}
