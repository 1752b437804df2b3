import { apiQuery } from '../../api/queries.ts'
import type { CapabilitiesResponse } from './navigation.ts'

/** What the caller may use; the pages among it are the navigation. */
export const capabilitiesQuery = { ...apiQuery<CapabilitiesResponse>(['capabilities']), staleTime: 60_000 }
