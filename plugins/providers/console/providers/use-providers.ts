import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Provider } from '#schemas/api/providers.ts'
import { apiQuery } from '#ui/api/queries.ts'

interface ProviderPage {
  readonly items: readonly Provider[]
  readonly nextCursor: string | null
}

// Not every caller sees the events of calls, which health follows.
const POLL_MS = 30_000

/** A page of the providers of a namespace, or of all that the caller may list. */
export function useProviders(namespace: string | undefined, cursor: string | undefined) {
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  return useQuery({ ...apiQuery<ProviderPage>(['providers'], { ...scope, cursor }), refetchInterval: POLL_MS })
}

/** Reads the list again. */
export function useProvidersAgain(): () => void {
  const queries = useQueryClient()
  return () => {
    queries.invalidateQueries({ queryKey: ['providers'] }).catch(() => undefined)
  }
}

/** The key of a provider in the address and in the list. */
export function placeOf({ namespace, name }: Pick<Provider, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
