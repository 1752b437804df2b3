import { isDeepStrictEqual } from 'node:util'
import type { CredentialHeader } from '../client/credential.ts'
import type { Discovery } from './discover.ts'

/** Key of a discovery: a changed key triggers a new read immediately. */
export interface DiscoveryKey {
  readonly uid: string
  /** A changed object is read again, so that a user who edits it sees the newest manifest. */
  readonly generation: number
  readonly namespace: string
  readonly url: string
  readonly bearer: string | undefined
  readonly header?: CredentialHeader | undefined
  /** Time at which a call found a changed manifest. */
  readonly changedAt?: string | undefined
}

/** Reads manifests in the background, so that a server that hangs holds up no reconciler, and no other namespace. */
export interface Discoveries {
  /**
   * Returns the newest discovery that is at most `maxAgeMs` old, and starts one otherwise. Undefined while a discovery runs or waits for a slot; a
   * short one is awaited.
   */
  get(key: DiscoveryKey, maxAgeMs: number): Promise<Discovery | undefined>
  /** Drops the discovery of an object. */
  forget(uid: string): void
}

/** Options; times are those of a monotonic clock, in milliseconds. */
export interface DiscoveriesOptions {
  readonly read: (key: DiscoveryKey) => Promise<Discovery>
  /** Maximum concurrent discoveries: in total, and per namespace. */
  readonly most: { readonly total: number; readonly perNamespace: number }
  /** How long `get` waits for a discovery that it has started. */
  readonly waitMs: number
  readonly clock?: () => number
}

interface Entry {
  readonly key: DiscoveryKey
  running: Promise<void> | undefined
  found: { readonly discovery: Discovery; readonly at: number } | undefined
}

/** Creates the discoveries of one manager. */
export function createDiscoveries(options: DiscoveriesOptions): Discoveries {
  const { read, most, waitMs, clock = () => performance.now() } = options
  const entries = new Map<string, Entry>()
  const running = new Map<string, number>()
  const total = (): number => running.values().reduce((sum, count) => sum + count, 0)

  const start = (entry: Entry): void => {
    const { namespace } = entry.key
    running.set(namespace, (running.get(namespace) ?? 0) + 1)
    const run = async (): Promise<void> => {
      try {
        entry.found = { discovery: await read(entry.key), at: clock() }
      } finally {
        entry.running = undefined
        const left = (running.get(namespace) ?? 1) - 1
        if (left === 0) running.delete(namespace)
        else running.set(namespace, left)
      }
    }
    entry.running = run()
    entry.running.catch(() => undefined)
  }
  return {
    get: async (key, maxAgeMs) => {
      let entry = entries.get(key.uid)
      if (entry === undefined || !isDeepStrictEqual(entry.key, key)) {
        entry = { key, running: undefined, found: undefined }
        entries.set(key.uid, entry)
      }
      const isFresh = (): boolean => entry.found !== undefined && clock() - entry.found.at < maxAgeMs
      if (isFresh()) return entry.found?.discovery
      if (entry.running === undefined) {
        if (total() >= most.total || (running.get(key.namespace) ?? 0) >= most.perNamespace) return undefined
        start(entry)
      }
      await waitAtMost(entry.running, waitMs)
      return entry.running === undefined ? entry.found?.discovery : undefined
    },
    forget(uid) {
      entries.delete(uid)
    },
  }
}

async function waitAtMost(work: Promise<void> | undefined, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
