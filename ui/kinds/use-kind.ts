import { useQuery } from '@tanstack/react-query'
import { ApiProblem, readProblem } from '../api/api-problem.ts'
import { useLive } from '../api/live/live.ts'
import type { KindEntry } from './kind-entry.ts'
import { isSettled } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'
import { servedKind } from './served-kind.ts'
import type { ApiDocument, ServedKind } from './served-kind.ts'

/** The document of the API, which is the same as long as the server runs. */
export function useApiDocument(isWanted = true) {
  return useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => loadDocument(signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function loadDocument(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetch('/openapi.json', { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ApiProblem({ status: 0, title: 'No connection', detail: 'The server cannot be reached.' })
  })
  if (!response.ok) throw await readProblem(response)
  return (await response.json()) as ApiDocument
}

/** A kind as the API serves it; null if it does not. */
export function useServedKind({ api }: Pick<KindEntry, 'api'>): {
  readonly served: ServedKind | null | undefined
  readonly error: Error | null
} {
  const { data, error } = useApiDocument()
  return { served: data === undefined ? undefined : (servedKind(data, api) ?? null), error }
}

const UNSETTLED_MS = 10_000
const SETTLED_MS = 60_000

/**
 * How often objects of a kind are asked for, in milliseconds. Events say what is written of them. What a controller reports has no event: it is asked
 * for often until it is settled, and seldom afterwards, unless it changes with traffic. Events of other plugins do not name their routes.
 */
export function useObjectInterval(
  entry: Pick<KindEntry, 'api' | 'reportsTraffic'>,
): (objects: readonly KindObject[]) => number {
  const { api, reportsTraffic = false } = entry
  const isFollowed = useLive().kind === 'live' && api.length === 1 && !reportsTraffic
  return (objects) => (isFollowed && objects.every((one) => isSettled(one, Date.now())) ? SETTLED_MS : UNSETTLED_MS)
}
