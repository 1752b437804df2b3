import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Summary } from '../../../schemas/api/overview.ts'
import { apiQuery } from '../../api/queries.ts'
import { useAddress } from '../../contract/search.ts'
import type { NavigationSection } from '../navigation/navigation.ts'

/** Requests of the page itself come first. */
const AFTER_MS = 1_500

/** How many wait for a person, by id of the page: the request is that of Home. */
export function usePageCounts(sections: readonly NavigationSection[]): Readonly<Record<string, number>> {
  const [{ namespace }] = useAddress()
  const isListed = sections.some(({ pages }) => pages.some(({ page, reason }) => page.id === 'approvals' && !reason))
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data } = useQuery({
    ...apiQuery<Summary>(['summary'], scope),
    enabled: isListed && isLater,
    staleTime: 30_000,
  })
  return { approvals: data?.waiting.runs?.count ?? 0 }
}
