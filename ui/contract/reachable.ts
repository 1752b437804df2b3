import { useQuery } from '@tanstack/react-query'
import { capabilitiesQuery } from '../api/capabilities.ts'
import { isReachable } from './is-reachable.ts'

/** Says whether an address leads to a page that the caller may use. While that is not known, none does. */
export function useReachable(): (to: string) => boolean {
  // That of the navigation, which has asked already.
  const { data } = useQuery(capabilitiesQuery)
  return (to) => data !== undefined && isReachable(to, data)
}
