import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, readProblem } from './api-problem.ts'
import { sessionToken, setSession } from './session.ts'

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
  const token = sessionToken()
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  const response = await fetch(toUrl(path, query), { signal, ...(headers === undefined ? {} : { headers }) }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error
      throw new ApiProblem({ status: 0, title: 'No connection', detail: 'The server cannot be reached.' })
    },
  )
  // Another sign-in replaces the session; the page stays.
  if (response.status === 401) setSession(undefined)
  if (!response.ok) throw await readProblem(response)
  return (await response.json()) as T
}

function toUrl(path: readonly string[], query: RequestQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `/api/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}
