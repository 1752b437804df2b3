import { useQuery } from '@tanstack/react-query'
import { capabilitiesQuery } from '../api/capabilities.ts'
import { isReachable } from './is-reachable.ts'
import { capabilityRefusal } from './refusal.ts'
import type { CapabilityRefusal } from './refusal.ts'

/** Says whether an address leads to a page that the caller may use. While that is not known, none does. */
export function useReachable(): (to: string) => boolean {
  // That of the navigation, which has asked already.
  const { data } = useQuery(capabilitiesQuery)
  return (to) => data !== undefined && isReachable(to, data)
}

/** Why the caller cannot use a capability; undefined for none, for one that can be used, and until it is known. */
export function useRefusal(id: string | undefined): CapabilityRefusal | undefined {
  const { data } = useQuery(capabilitiesQuery)
  return id === undefined || data === undefined ? undefined : capabilityRefusal(id, data.capabilities)
}
