import { useQuery } from '@tanstack/react-query'
import { ApiProblem, readProblem } from '../api/api-problem.ts'
import type { KindEntry } from './kind-entry.ts'
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
