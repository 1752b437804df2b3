import { queryOptions } from '@tanstack/react-query'
import { requestApi } from './request-api.ts'
import type { RequestQuery } from './request-api.ts'

/** Options of a query: its key follows from the path below `/api` and the parameters. */
export function apiQuery<Response>(path: readonly string[], query: RequestQuery = {}) {
  return queryOptions({
    queryKey: [...path, query],
    queryFn: async ({ signal }) => (await (await requestApi({ path, query, signal })).json()) as Response,
  })
}
