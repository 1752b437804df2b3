import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../api/queries.ts'
import { isReachable } from './is-reachable.ts'
import type { KnownPages } from './is-reachable.ts'

/** Says whether an address leads to a page that the caller may use. While that is not known, none does. */
export function useReachable(): (to: string) => boolean {
  // That of the navigation, which has asked already.
  const { data } = useQuery({ ...apiQuery<KnownPages>(['capabilities']), staleTime: 60_000 })
  return (to) => data !== undefined && isReachable(to, data)
}
