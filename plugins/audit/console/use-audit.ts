import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { RequestQuery } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { toInstants } from '#ui/parts/filter/ranges.ts'
import { FIRST_RANGE, rangeEnd, toQuery } from './audit-rows.ts'
import type { AuditRows } from './audit-rows.ts'

/** A page of the log with its query. */
export interface AuditQueryState {
  readonly page: AuditRows | undefined
  readonly error: Error | null
  readonly retry: () => void
  /** Filters and range, without the cursor. */
  readonly query: RequestQuery
}

/** Pages that are not shown are dropped after this time, so that paging keeps the memory flat. */
const KEPT_MS = 30_000

/** The rows that the address asks for. */
export function useAudit(): AuditQueryState {
  const [search, change] = useAddress()
  const { from = FIRST_RANGE, to, cursor } = search
  const range = useMemo(() => {
    const instants = toInstants({ from, to }, rangeEnd(from, Date.now()))
    return instants ?? toInstants({ from: FIRST_RANGE }, rangeEnd(FIRST_RANGE, Date.now())) ?? {}
  }, [from, to])
  const query = toQuery(search, { ...range })
  const { data, error, refetch } = useQuery({
    ...apiQuery<AuditRows>(['audit'], { ...query, cursor }),
    gcTime: KEPT_MS,
    placeholderData: keepPreviousData,
  })
  // A relative range has moved on since the cursor was given.
  const isOutdated = error instanceof ApiProblem && error.facts.code === 'invalid_cursor'
  useEffect(() => {
    if (isOutdated && cursor !== undefined) change({ cursor: undefined })
  }, [isOutdated, cursor, change])
  return {
    page: data,
    error,
    query,
    retry: () => {
      refetch().catch(() => undefined)
    },
  }
}
