import { AsyncLocalStorage } from 'node:async_hooks'

interface Count {
  requests: number
}

const counts = new AsyncLocalStorage<Count>()

/** Runs `work`. When it has ended, even with an error, calls `spent` with the number of its requests to the API server. */
export async function countRequests<Result>(
  work: () => Promise<Result>,
  spent: (requests: number) => void,
): Promise<Result> {
  const count = { requests: 0 }
  try {
    return await counts.run(count, work)
  } finally {
    spent(count.requests)
  }
}

/** Counts a request of the work in progress. Watches are not counted, since one watch serves many objects. */
export function noteRequest(): void {
  const count = counts.getStore()
  if (count !== undefined) count.requests += 1
}
