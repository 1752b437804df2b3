import { queryOptions } from '@tanstack/react-query'
import { requestApi } from '#ui/api/request-api.ts'
import { readWaiting } from './waiting-manifests.ts'
import type { ApprovalPage } from './waiting-manifests.ts'

const POLL_MS = 15_000

/** The manifests that wait in a namespace, or in all that the caller may read. */
export function waitingQuery(namespace: string | undefined) {
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const path = ['mcp', 'approvals']
  return queryOptions({
    queryKey: [...path, scope],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) =>
      readWaiting(
        async (cursor) =>
          (await (await requestApi({ path, query: { ...scope, cursor }, signal })).json()) as ApprovalPage,
      ),
  })
}
