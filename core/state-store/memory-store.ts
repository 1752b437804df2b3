import { createMemoryAdmissions } from './memory-admissions.ts'
import { createMemoryLists } from './memory-lists.ts'
import type { StateStore } from './state-store.ts'

/** Options of the in-process store. */
export interface MemoryStoreOptions {
  /** Total bytes of all lists. */
  readonly maxBytes?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

const MAX_BYTES = 64 * 1024 * 1024

/** Creates the store of the embedded default. It lives as long as the process and is bounded. */
export function createMemoryStateStore(options: MemoryStoreOptions = {}): StateStore {
  const now = options.now ?? (() => performance.now())
  return {
    lists: createMemoryLists({ maxBytes: options.maxBytes ?? MAX_BYTES, now }),
    admissions: createMemoryAdmissions(now),
    check: async () => undefined,
    close: async () => undefined,
  }
}
