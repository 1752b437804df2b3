import { AsyncLocalStorage } from 'node:async_hooks'

// An object instead of a boolean: work that outlives the transaction keeps its context, but is outside after COMMIT.
const current = new AsyncLocalStorage<{ open: boolean }>()

/** Runs `work` inside a database transaction, where `assertOutsideTransaction` throws. */
export async function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const mark = { open: true }
  try {
    return await current.run(mark, work)
  } finally {
    mark.open = false
  }
}

/** Throws inside `transact`: a second connection could wait forever for the first one, and a call cannot be rolled back. */
export function assertOutsideTransaction(what: string): void {
  if (current.getStore()?.open === true) {
    throw new Error(`${what} may not be used inside a transaction; use its handle, or afterCommit`)
  }
}

const guarded = new WeakSet<typeof fetch>()

/** Makes the global `fetch` throw inside a transaction; repeated calls change nothing. */
export function guardFetch(): void {
  const original = globalThis.fetch
  if (guarded.has(original)) return
  const wrapped: typeof fetch = (...request) => {
    assertOutsideTransaction('fetch')
    return original(...request)
  }
  guarded.add(wrapped)
  globalThis.fetch = wrapped
}
