import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Capabilities } from '../../schemas/api/identity.ts'
import { apiQuery } from './queries.ts'

/** What the caller may use; the pages among it are the navigation. */
export const capabilitiesQuery = { ...apiQuery<Static<typeof Capabilities>>(['capabilities']), staleTime: 60_000 }

/** Whether the caller may use a capability; true for none. False until it is known: what is denied is not asked for. */
export function useCapability(id: string | undefined): boolean {
  const { data } = useQuery(capabilitiesQuery)
  return id === undefined || data?.capabilities.find((one) => one.id === id)?.enabled === true
}
