import { AsyncLocalStorage } from 'node:async_hooks'

interface Count {
  requests: number
}

const counts = new AsyncLocalStorage<Count>()

/** Runs a work and calls `spent` with the number of its requests to the API server when it has ended, even if it failed. */
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

/** Notes a request of the work that is under way. Watches are not counted: they are one for many objects. */
export function noteRequest(): void {
  const count = counts.getStore()
  if (count !== undefined) count.requests += 1
}
