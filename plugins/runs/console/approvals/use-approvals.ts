import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { toItems, withRun } from './items/approval-items.ts'
import type { ApprovalItem, PausedRun, PausedRunPage } from './items/approval-items.ts'

const SHOWN = 100

/** The queue of decisions, and what changes it. */
export interface ApprovalQueue {
  /** Undefined while it is loading. */
  readonly items: readonly ApprovalItem[] | undefined
  readonly hasMore: boolean
  readonly error: Error | null
  readonly retry: () => void
  /** Writes runs as a decision left them. */
  readonly keep: (runs: readonly PausedRun[]) => void
}

/** Paused runs of the chosen namespace, read again by the events of runs. Those that wait longest come first, since they expire first. */
export function useApprovals(): ApprovalQueue {
  const [{ namespace }] = useAddress()
  const queries = useQueryClient()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const asked = apiQuery<PausedRunPage>(['runs'], { ...scope, state: 'paused', order: 'oldest', limit: SHOWN })
  const { data, error, refetch } = useQuery(asked)
  const items = useMemo(() => data && toItems(data.items), [data])
  return {
    items,
    hasMore: (data?.nextCursor ?? null) !== null,
    error,
    retry: () => {
      refetch().catch(() => undefined)
    },
    keep: (runs) => {
      queries.setQueryData(asked.queryKey, (page: PausedRunPage | undefined) => page && runs.reduce(withRun, page))
      for (const run of runs) queries.removeQueries({ queryKey: ['runs', run.id] })
    },
  }
}
