import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, readProblem } from './api-problem.ts'
import { loadSession } from './session.ts'

/** Parameters of a request; `undefined` is left out. */
export type RequestQuery = Readonly<Record<string, string | number | undefined>>

/** Options of a query: its key follows from the path below `/api` and the parameters. */
export function apiQuery<Response>(path: readonly string[], query: RequestQuery = {}) {
  return queryOptions({
    queryKey: [...path, query],
    queryFn: ({ signal }) => readApi<Response>(path, query, signal),
  })
}

async function readApi<T>(path: readonly string[], query: RequestQuery, signal: AbortSignal): Promise<T> {
  const response = await fetch(toUrl(path, query), { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ApiProblem({ status: 0, title: 'No connection', detail: 'The server cannot be reached.' })
  })
  // The session has ended; the page stays, and asks for another sign-in.
  if (response.status === 401) await loadSession().catch(() => undefined)
  if (!response.ok) throw await readProblem(response)
  return (await response.json()) as T
}

function toUrl(path: readonly string[], query: RequestQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `/api/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}
